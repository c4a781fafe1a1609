import CNats
import Glibc

/// A message that arrived, copied out of libnats.
struct NatsMessage: Sendable {
    let subject: String
    let body: [UInt8]
    /// Where an answer is awaited; nil if none is.
    let replyTo: String?
    private let fields: [String: String]

    init(_ message: OpaquePointer) {
        subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
        body = Self.body(of: message)
        replyTo = natsMsg_GetReply(message).map { String(cString: $0) }
        fields = Self.fields(of: message)
    }

    /// For tests of what is read from messages.
    init(subject: String, body: [UInt8] = [], fields: [String: String] = [:]) {
        self.subject = subject
        self.body = body
        replyTo = nil
        self.fields = fields
    }

    /// A header field.
    subscript(name: String) -> String? { fields[name] }

    /// The status of an answer without content, such as 404 or 503 (no responders).
    var status: Int? { fields["Status"].flatMap { Int($0) } }

    private static func body(of message: OpaquePointer) -> [UInt8] {
        let count = Int(natsMsg_GetDataLength(message))
        guard count > 0, let data = natsMsg_GetData(message) else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    private static func fields(of message: OpaquePointer) -> [String: String] {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names else { return [:] }
        defer { free(names) }
        var fields: [String: String] = [:]
        for index in 0..<Int(count) {
            var value: UnsafePointer<CChar>?
            guard let name = names[index], natsMsgHeader_Get(message, name, &value) == NATS_OK,
                let value
            else { continue }
            fields[String(cString: name)] = String(cString: value)
        }
        return fields
    }
}

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

/// Messages of some subjects, until it is dropped.
// Unchecked: libnats locks what the handle leads to.
final class NatsSubscription: @unchecked Sendable {
    private let handle: OpaquePointer

    init(
        of connection: OpaquePointer, to subject: String,
        _ handler: @escaping @Sendable (NatsMessage) -> Void
    ) throws(NatsError) {
        let context = Unmanaged.passRetained(NatsListener(handler)).toOpaque()
        var handle: OpaquePointer?
        let status = natsConnection_Subscribe(
            &handle, connection, subject,
            { _, _, message, context in
                guard let message, let context else { return }
                NatsListener.of(context).handler(NatsMessage(message))
                natsMsg_Destroy(message)
            }, context)
        guard status == NATS_OK, let handle else {
            Unmanaged<NatsListener>.fromOpaque(context).release()
            throw NatsError("natsConnection_Subscribe", status)
        }
        self.handle = handle
        // A message may be on its way to the listener until libnats says that none is.
        natsSubscription_SetOnCompleteCB(
            handle, { context in context.map { Unmanaged<NatsListener>.fromOpaque($0).release() } },
            context)
        // Slow readers lose nothing: what comes is bounded by what was asked for.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    deinit {
        natsSubscription_Unsubscribe(handle)
        natsSubscription_Destroy(handle)
    }
}

private final class NatsListener: Sendable {
    let handler: @Sendable (NatsMessage) -> Void

    init(_ handler: @escaping @Sendable (NatsMessage) -> Void) { self.handler = handler }

    static func of(_ context: UnsafeMutableRawPointer) -> NatsListener {
        Unmanaged<NatsListener>.fromOpaque(context).takeUnretainedValue()
    }
}

/// What a call of libnats failed with.
struct NatsError: Error, Equatable, CustomStringConvertible {
    let call: StaticString
    let status: natsStatus

    init(_ call: StaticString, _ status: natsStatus) {
        self.call = call
        self.status = status
    }

    static let missingLibrary = NatsError("dlopen", NATS_NOT_FOUND)

    static func == (left: NatsError, right: NatsError) -> Bool {
        left.status == right.status && "\(left.call)" == "\(right.call)"
    }

    var description: String { "\(call): \(reason)" }

    /// libnats' own words. They name no subject and no server.
    var reason: String {
        guard NatsLibrary.isLoaded else { return "unknown" }
        return natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown"
    }

    /// Neither the name nor the password of the node was accepted, or its credentials.
    var isRefused: Bool {
        status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED
    }

    /// The encrypted connection failed before anything was said.
    var isUntrusted: Bool { status == NATS_SSL_ERROR }
}

/// libnats, which is loaded for the first connection, because other servers need none of it.
package enum NatsLibrary {
    static let isLoaded = cnats_load()
}

func ensure(_ status: natsStatus, _ call: StaticString) throws(NatsError) {
    guard status == NATS_OK else { throw NatsError(call, status) }
}
