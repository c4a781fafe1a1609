import Mailbox

/// The result of an accepted message, for its sender.
enum Verdict: Sendable {
    /// It is on the disk, or its destination has it.
    case accepted
    /// Its subscription ended meanwhile.
    case gone
    /// The outbox of its callback has no room.
    case full
    /// The store failed, and may have the message or not.
    case unavailable

    init(_ outcome: StoreOutcome) {
        switch outcome {
        case .stored, .acknowledged, .done, .withdrawn, .registration: self = .accepted
        case .notFound: self = .gone
        case .full: self = .full
        case .conflict, .unavailable: self = .unavailable
        }
    }
}
