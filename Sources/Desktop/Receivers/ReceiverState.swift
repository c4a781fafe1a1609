/// What is known of a receiver, for the user.
package struct ReceiverState: Equatable, Sendable {
    package enum Condition: String, Sendable {
        case connecting
        case connected
        /// It answered, and no application needs it now.
        case idle
        /// It answered that it does not let this device in, or not now.
        case refused
        case untrusted
        case unreachable
    }

    /// Host and port, without the path, which is secret.
    package let name: String
    package private(set) var condition = Condition.connecting
    /// Why it is refused, untrusted or unreachable; else empty.
    package private(set) var reason = ""
    /// Since when the condition holds, in seconds since 1970.
    package private(set) var since: Int64

    package init(of name: String, at time: Int64) {
        self.name = name
        since = time
    }

    /// True if something is new. A receiver that fails for another reason has not worked since the
    /// first one.
    package mutating func change(to other: Condition, reason: String = "", at time: Int64) -> Bool {
        guard other != condition || reason != self.reason else { return false }
        if !(condition.isFailure && other.isFailure) { since = time }
        condition = other
        self.reason = reason
        return true
    }
}

extension ReceiverState.Condition {
    package var isFailure: Bool {
        switch self {
        case .refused, .untrusted, .unreachable: true
        case .connecting, .connected, .idle: false
        }
    }
}
