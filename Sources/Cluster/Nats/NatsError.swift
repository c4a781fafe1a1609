import CNats

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
