/// An application on the bus: what waits for it, and what is under way.
struct Peer {
    enum Owner: Equatable {
        case unknown
        case none
        case some(String)

        var isPresent: Bool { if case .some = self { true } else { false } }
    }

    struct Item {
        enum Content {
            case message(PushedMessage)
            /// One call for all of them, with the number of the last.
            case fetch([FetchSignal])
            case endpoint
        }

        let client: ClientKey
        var content: Content
        /// Which way of calling is tried: version and path, in the order of `Peer.ways`.
        var way = 0
        /// Rounds in which all ways were tried.
        var rounds = 0
    }

    struct Flight {
        let id: UInt64
        let item: Item
        let version: ConnectorVersion
        let path: String
        /// Who was called: the name may have another owner by the time the answer comes.
        var owner: Owner
        /// When waiting for the answer ends.
        var deadline: Duration
    }

    static let wayCount = 4

    var owner = Owner.unknown
    /// Endpoints and the like go before messages.
    var controls: [Item] = []
    var messages: [Item] = []
    var control: Flight?
    var message: Flight?
    /// Nothing is tried again before.
    var pauseEnd: Duration?
    var pause = Self.shortestPause
    /// It is not started again before.
    var startEnd: Duration?
    var startPause = Self.shortestPause

    private static let shortestPause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(300)

    var isIdle: Bool {
        controls.isEmpty && messages.isEmpty && control == nil && message == nil
    }

    /// It was called in vain. A start that came to nothing has its own pause.
    mutating func noteFailure(at now: Duration) {
        pauseEnd = owner.isPresent ? now + pause : nil
        if owner.isPresent { pause = min(pause * 2, Self.longestPause) }
    }

    mutating func noteStart(at now: Duration) {
        startEnd = now + startPause
        startPause = min(startPause * 2, Self.longestPause)
    }

    mutating func noteAnswer() {
        pauseEnd = nil
        pause = Self.shortestPause
        startPause = Self.shortestPause
    }

    /// A reason to try again at once. Starts keep their distance.
    mutating func wake() {
        pauseEnd = nil
        pause = Self.shortestPause
    }

    func mayCall(at now: Duration) -> Bool { pauseEnd.map { $0 <= now } ?? true }
    func mayStart(at now: Duration) -> Bool { startEnd.map { $0 <= now } ?? true }
}
