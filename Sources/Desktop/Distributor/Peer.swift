import Base
package import WebPush

/// An application on the bus, with its queues and its running call.
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
            /// One call for all signals, with the version of the last.
            case fetch([FetchCall])
            case endpoint
        }

        let client: ClientKey
        var content: Content
        /// It is dropped if the call has not begun by then; nil for what does not expire.
        var expiry: Duration?
        /// The form of the call that is tried, an index into `Peer.ways`.
        var way = 0
        /// How often all forms were tried.
        var rounds = 0
    }

    struct Flight {
        let id: UInt64
        let item: Item
        let version: ConnectorVersion
        let path: String
        /// The endpoint that the call carries. The link may give another one before the answer.
        let endpoint: String?
        /// Who was called: the name may have another owner when the answer arrives.
        var owner: Owner
        /// When to stop waiting for the answer.
        var deadline: Duration
        /// The message was withdrawn, or the registration has ended: there is no second attempt, and
        /// the answer says nothing about a registration that has followed under the same token.
        var isOver = false
    }

    static let wayCount = 4

    var owner = Owner.unknown
    /// Endpoints and the like; they go before messages.
    var controls: [Item] = []
    var messages: [Item] = []
    var control: Flight?
    var message: Flight?
    /// No attempt before this time.
    var pauseEnd: Duration?
    var pause = Backoff.ofApplications
    /// No start before this time.
    var startEnd: Duration?
    var startPause = Backoff.ofApplications

    var isIdle: Bool {
        controls.isEmpty && messages.isEmpty && control == nil && message == nil
    }

    /// A call failed. A failed start has a pause of its own.
    mutating func recordFailure(at now: Duration) {
        pauseEnd = owner.isPresent ? now + pause.next() : nil
    }

    mutating func recordStart(at now: Duration) { startEnd = now + startPause.next() }

    mutating func recordAnswer() {
        pauseEnd = nil
        pause.reset()
        startPause.reset()
    }

    /// Tries again at once, but does not shorten the pause between starts.
    mutating func wake() {
        pauseEnd = nil
        pause.reset()
    }

    func mayCall(at now: Duration) -> Bool { pauseEnd.map { $0 <= now } ?? true }
    func mayStart(at now: Duration) -> Bool { startEnd.map { $0 <= now } ?? true }
}

extension Backoff {
    /// For calls of an application that fails, and for starting it.
    static let ofApplications = Backoff(first: .seconds(5), longest: .seconds(300))
}

/// A message on its way to an application.
///
/// It is a class, because it waits in queues and is passed in events.
package final class PushedMessage: Sendable, Equatable {
    package let channel: ChannelID
    /// The receiver's id, the same in every delivery.
    package let id: String
    /// The body as received; for `aesgcm`, three lines with its headers come first.
    package let body: [UInt8]
    /// When it expires, on the boot clock. Nil: deliver now or never.
    package let deadline: Duration?
    package let urgency: Urgency

    package init(
        channel: ChannelID, id: String, body: [UInt8], deadline: Duration?,
        urgency: Urgency = .normal
    ) {
        self.channel = channel
        self.id = id
        self.body = body
        self.deadline = deadline
        self.urgency = urgency
    }

    package static func == (left: PushedMessage, right: PushedMessage) -> Bool {
        left.channel == right.channel && left.id == right.id && left.body == right.body
            && left.deadline == right.deadline && left.urgency == right.urgency
    }
}
