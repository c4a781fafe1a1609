import CNats

/// Messages of some subjects, until it is dropped.
// Unchecked: libnats locks what the handle leads to.
final class NatsSubscription: @unchecked Sendable {
    private let handle: OpaquePointer

    init(
        of connection: OpaquePointer, to subject: String,
        _ handler: @escaping @Sendable (NatsMessage) -> Void
    ) throws(NatsError) {
        let context = Unmanaged.passRetained(Listener(handler)).toOpaque()
        var handle: OpaquePointer?
        let status = natsConnection_Subscribe(
            &handle, connection, subject,
            { _, _, message, context in
                guard let message, let context else { return }
                Listener.of(context).handler(NatsMessage(message))
                natsMsg_Destroy(message)
            }, context)
        guard status == NATS_OK, let handle else {
            Unmanaged<Listener>.fromOpaque(context).release()
            throw NatsError("natsConnection_Subscribe", status)
        }
        self.handle = handle
        // A message may be on its way to the listener until libnats says that none is.
        natsSubscription_SetOnCompleteCB(
            handle, { context in context.map { Unmanaged<Listener>.fromOpaque($0).release() } },
            context)
        // Slow readers lose nothing: what comes is bounded by what was asked for.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    deinit {
        natsSubscription_Unsubscribe(handle)
        natsSubscription_Destroy(handle)
    }
}

private final class Listener: Sendable {
    let handler: @Sendable (NatsMessage) -> Void

    init(_ handler: @escaping @Sendable (NatsMessage) -> Void) { self.handler = handler }

    static func of(_ context: UnsafeMutableRawPointer) -> Listener {
        Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue()
    }
}
