/// Pings a silent peer, and gives it up if it stays silent.
///
/// Any byte is a sign of life: a peer in the middle of a long frame cannot insert a pong.
package struct WebSocketKeepAlive: Sendable {
    package enum Action: Equatable, Sendable {
        case none
        case ping
        case giveUp
    }

    private var lastHeard: Duration
    private var pinged: Duration?

    package init(at now: Duration) { lastHeard = now }

    /// When to call `elapsed` if no byte arrives before that.
    package func deadline(_ limits: WebSocketSession.Limits) -> Duration {
        if let pinged { pinged + limits.pongPatience } else { lastHeard + limits.silence }
    }

    package mutating func heard(at now: Duration) {
        lastHeard = now
        pinged = nil
    }

    package mutating func elapsed(at now: Duration, _ limits: WebSocketSession.Limits) -> Action {
        guard now >= deadline(limits) else { return .none }
        guard pinged == nil else { return .giveUp }
        pinged = now
        return .ping
    }
}
