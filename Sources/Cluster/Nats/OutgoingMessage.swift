import CNats

/// A message on its way to libnats, which copies it.
final class OutgoingMessage {
    let handle: OpaquePointer

    init(
        _ subject: String, replyTo inbox: String?, _ fields: [(String, String)], _ body: [UInt8]
    ) throws(NatsError) {
        var handle: OpaquePointer?
        let status = body.withUnsafeBytes { body in
            natsMsg_Create(
                &handle, subject, inbox, body.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(body.count))
        }
        try ensure(status, "natsMsg_Create")
        guard let handle else { throw NatsError("natsMsg_Create", NATS_NO_MEMORY) }
        self.handle = handle
        for (name, value) in fields {
            try ensure(natsMsgHeader_Set(handle, name, value), "natsMsgHeader_Set")
        }
    }

    deinit { natsMsg_Destroy(handle) }
}
