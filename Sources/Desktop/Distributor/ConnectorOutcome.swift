import Bus

/// The result of a call to a connector.
package enum ConnectorOutcome: Equatable, Sendable {
    /// The call returned, so the application has the message, whatever the answer.
    case taken
    /// The application does not run or does not answer; a later attempt may work.
    case unreachable(String)
    /// It has no such object, interface or method.
    case unsupported
    /// It does not know the token.
    case refused
    case failed

    init(_ reply: BusReply) {
        switch reply {
        case .success: self = .taken
        case .failure(let failure):
            let prefix = "org.freedesktop.DBus.Error."
            let word =
                failure.name.hasPrefix(prefix)
                ? String(failure.name.dropFirst(prefix.count)) : ""
            self.init(error: word)
        }
    }

    private init(error word: String) {
        switch word {
        case "ServiceUnknown", "NameHasNoOwner": self = .unreachable("it is not running")
        case "NoReply", "Disconnected": self = .unreachable("it ended without answering")
        case "TimedOut", "Timeout": self = .unreachable("it does not answer")
        case "LimitsExceeded", "NoMemory": self = .unreachable("too many messages wait on the bus")
        case "UnknownMethod", "UnknownInterface", "UnknownObject": self = .unsupported
        case "InvalidArgs": self = .refused
        case _ where word.hasPrefix("Spawn."): self = .unreachable("it cannot be started")
        default: self = .failed
        }
    }
}
