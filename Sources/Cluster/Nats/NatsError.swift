import CNats

/// What a call of libnats failed with.
package struct NatsError: Error, Equatable, CustomStringConvertible {
    package let call: StaticString
    let status: natsStatus

    init(_ call: StaticString, _ status: natsStatus) {
        self.call = call
        self.status = status
    }

    package static func == (left: NatsError, right: NatsError) -> Bool {
        left.status == right.status && "\(left.call)" == "\(right.call)"
    }

    /// libnats' own words. They name no subject.
    package var description: String {
        "\(call): \(natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown")"
    }

    /// Neither the name nor the password of the node was accepted, or its credentials.
    package var isRefused: Bool { status == NATS_CONNECTION_AUTH_FAILED }
}

func ensure(_ status: natsStatus, _ call: StaticString) throws(NatsError) {
    guard status == NATS_OK else { throw NatsError(call, status) }
}
