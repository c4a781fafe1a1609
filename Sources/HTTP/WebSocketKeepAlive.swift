/// Asks a silent peer for a sign of life, and gives it up when none comes.
///
/// Any byte is a sign of life: a peer in the middle of a long frame cannot put a pong into it.
package struct WebSocketKeepAlive: Sendable {
    package enum Action: Equatable, Sendable {
        case none
        case ping
        case giveUp
    }

    private let silence: Duration
    private let patience: Duration
    private var lastHeard: Duration
    private var pinged: Duration?

    /// Pings after `silence`, and expects something within `patience` of that.
    package init(silence: Duration, patience: Duration, at now: Duration) {
        self.silence = silence
        self.patience = patience
        lastHeard = now
    }

    /// When `elapsed` has something to do, if nothing is heard until then.
    package var deadline: Duration {
        if let pinged { pinged + patience } else { lastHeard + silence }
    }

    package mutating func heard(at now: Duration) {
        lastHeard = now
        pinged = nil
    }

    package mutating func elapsed(at now: Duration) -> Action {
        guard now >= deadline else { return .none }
        guard pinged == nil else { return .giveUp }
        pinged = now
        return .ping
    }
}
