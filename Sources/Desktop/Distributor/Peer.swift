import Base
package import WebPush

/// An application on the bus, with its queue and its running calls.
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

        /// Endpoints go before messages.
        var isControl: Bool { if case .endpoint = content { true } else { false } }
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
    var queue = ApplicationQueue<Item>()
    /// The running calls: one with an endpoint, if there is one, and then one with a message.
    var flights: [Flight] = []
    /// The pause before the next start.
    var starts = CallPause()

    var isIdle: Bool { queue.items.isEmpty && flights.isEmpty }

    /// An endpoint waits, or is on its way.
    var hasControl: Bool {
        queue.items.contains(where: \.isControl) || flights.contains(where: \.item.isControl)
    }

    /// The endpoint of a registration waits.
    func announces(_ client: ClientKey) -> Bool {
        queue.items.contains { $0.client == client && $0.isControl }
    }

    /// Messages that the application does not have yet.
    var waiting: Int {
        queue.items.count { !$0.isControl } + flights.count { !$0.item.isControl }
    }

    /// A call failed. A failed start has a pause of its own.
    mutating func recordFailure(at now: Duration) {
        if owner.isPresent { queue.pause.begin(at: now) } else { queue.pause.lift() }
    }

    mutating func recordAnswer() {
        queue.pause.reset()
        starts.forgive()
    }

    /// These calls have come to their end, whatever the answer.
    mutating func giveUp(where isMeant: (Item) -> Bool) {
        queue.items.removeAll(where: isMeant)
        for index in flights.indices where isMeant(flights[index].item) {
            flights[index].isOver = true
        }
    }
}

/// What waits for one application, and the pause after calls that failed.
///
/// Everything that goes to an application waits in such a queue: endpoints, messages and fetch
/// signals in that of the distributor, the user's actions in that of `OwedActions`.
struct ApplicationQueue<Item: Sendable>: Sendable {
    /// The oldest is the first.
    var items: [Item] = []
    var pause = CallPause()

    /// Takes the first item that is ready, unless there is a pause.
    mutating func next(
        at now: Duration, where isReady: (Item) -> Bool = { _ in true }
    ) -> Item? {
        guard pause.isOver(at: now), let index = items.firstIndex(where: isReady) else {
            return nil
        }
        return items.remove(at: index)
    }

    /// Its call did not succeed, so it is the next one again.
    mutating func putBack(_ item: Item) { items.insert(item, at: 0) }
}

/// The time before the next call of an application: longer after each call that fails.
struct CallPause: Equatable, Sendable {
    /// Nil for no pause.
    private(set) var end: Duration?
    private var backoff = Backoff(first: .seconds(5), longest: .seconds(300))

    func isOver(at now: Duration) -> Bool { end.map { $0 <= now } ?? true }

    mutating func begin(at now: Duration) { end = now + backoff.next() }

    /// There is a reason for another attempt, so that it begins after the shortest pause.
    mutating func shorten(at now: Duration) { end = end.map { min($0, now + backoff.first) } }

    /// Ends the pause. The next one is no shorter for that.
    mutating func lift() { end = nil }

    /// The next pause is the shortest again.
    mutating func forgive() { backoff.reset() }

    /// Ends the pause, and the next one is the shortest again.
    mutating func reset() { self = CallPause() }

    /// A pause that is over must not wake the loop again.
    mutating func clear(at now: Duration) { if isOver(at: now) { end = nil } }
}

/// A message on its way to an application.
package struct PushedMessage: Sendable {
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
}

/// A fetch signal for the program that a registration names. The program gets a call on the bus;
/// nothing is shown.
package struct FetchCall: Equatable, Sendable {
    /// The account whose engine sent it.
    package var source = ""
    /// The id for confirming to the engine that the program has it.
    package var id: String?
    /// How many pushes it stands for; a waiting signal collects more and keeps its id.
    package var count: Int64 = 1
    package let service: String
    /// The version of simple push. If the sender gave none, it is the time, as other push services
    /// do.
    package let version: UInt64
}
