import Notifications

/// Decides what is on the screen: updates of engines and signals of the notification server go in,
/// calls and records come out.
///
/// Pure state: no bus, socket, store or clock. `now` is the time since some moment, and never goes
/// back. One `Notify` is under way at a time, so that a kill leaves at most one in doubt.
package struct Presenter: Sendable {
    /// Whose notifications a group has; the number is 0 where nobody tells it.
    struct Chat: Equatable, Sendable {
        var id: Int64 = 0
        var title = ""
    }

    /// One notification, or the summary of a source.
    struct Entry: Equatable, Sendable {
        var chat: Chat
        /// Nil until the engine has told again what a record was about, and for summaries.
        var notification: EngineNotification?
        var place: ShownRecord.Place
        var maySound = false
        var serverID: UInt32 = 0
        var server: ServerIdentity?
        /// When it came up or changed; nil where only a process before this one had it shown.
        var shownAt: Duration?
        /// Of what is shown now; 0 for unknown.
        var digest: UInt64 = 0
        var isDirty = false
        /// It may be on the screen under a number that nobody knows.
        var isInDoubt = false
        /// Gone from the engine, and perhaps not from the screen.
        var isDoomed = false
        var failures = 0
        /// What the user did, until the engine confirms it; the last one lets the notification go.
        var requests: [EngineRequest] = []
    }

    struct Source: Equatable, Sendable {
        var settings: PresentedSource
        var consent = SourceConsent()
        /// The highest notification seen of each group: one below comes back and is not new.
        var highest: [Int32: Int32] = [:]
        var budget = PopupBudget()
        /// When the summary may be shown next.
        var nextSummary = Duration.zero
        /// Nil until the engine tells it.
        var badge: Int64?
        /// Of each group the chat it was of when it was heard of last.
        var chats: [Int32: Int64] = [:]
    }

    enum Server: Equatable, Sendable {
        case absent
        /// Said that it cannot be started, or was asked to; asked again no sooner than then.
        case awaited(until: Duration)
        case present(NotificationServer)

        var isPresent: Bool { if case .present = self { true } else { false } }
    }

    struct Flight: Equatable, Sendable {
        let ticket: Int
        var key: ShownKey
        let digest: UInt64
        let isSounding: Bool
        /// What was under way is no longer wanted.
        var isOrphan = false
    }

    var entries: [ShownKey: Entry] = [:]
    var sources: [String: Source] = [:]
    var server = Server.absent
    /// What waits for the server, the oldest first.
    var queue: [ShownKey] = []
    var flight: Flight?
    var lastTicket = 0
    /// Nothing is sent before that, because the server had trouble.
    var pausedUntil = Duration.zero
    var shown: [UInt32: ShownKey] = [:]
    /// A token comes just before the action it is for.
    var token: (id: UInt32, text: String)?
    var isInhibited = false
    var actions: [PresenterAction] = []

    /// Begins with what was on the screen when the process before this one ended.
    package init(_ settings: [PresentedSource], history: ShownHistory = ShownHistory()) {
        for source in settings {
            sources[source.id] = Source(
                settings: source, highest: history.highest[source.id] ?? [:])
        }
        for record in history.records { restore(record) }
    }

    private mutating func restore(_ record: ShownRecord) {
        var entry = Entry(chat: Chat(), place: record.place, maySound: record.maySound)
        entry.requests = record.request.map { [$0] } ?? []
        // Whether it arrived is unknown, and so is its number: it is said once more.
        if record.place == .showing {
            (entry.place, entry.maySound, entry.isInDoubt) = (.waiting, false, true)
        }
        (entry.serverID, entry.server) = (record.serverID, record.server)
        entries[record.key] = entry
        guard sources[record.key.source] == nil else { return }
        // Nobody will ever say more about it.
        remove(record.key)
    }

    /// What `handle` is to be called for with `.elapsed`, at the latest.
    package func deadline(at now: Duration) -> Duration? {
        // Without a server nothing becomes due: its coming is an event, too.
        guard flight == nil, server.isPresent,
            let next = queue.lazy.map({ nextChance(of: $0, at: now) }).min()
        else { return nil }
        return max(next, pausedUntil)
    }

    package mutating func handle(
        _ event: PresenterEvent, at now: Duration
    ) -> [PresenterAction] {
        switch event {
        case .update(let source, let update):
            if sources[source] != nil { apply(update, from: source) }
        case .sourceBegan(let settings): begin(settings)
        case .sourceEnded(let source):
            clear(source)
            sources[source] = nil
        case .accountEnded(let source): clear(source)
        case .joined(let source): sources[source]?.consent = SourceConsent()
        case .serverAppeared(let server): appeared(server)
        case .serverVanished: vanished()
        case .serverUnavailable: server = .awaited(until: now + Self.startInterval)
        case .notified(let ticket, let id): notified(ticket, id, now)
        case .notifyFailed(let ticket, let failure): failed(ticket, failure, now)
        case .closed(let key): if entries[key] == nil { actions.append(.forget(key)) }
        case .notificationClosed(let id, let reason, let sender):
            if let key = key(of: id, from: sender) { closed(key, reason, now) }
        case .actionInvoked(let id, let name, let sender):
            if let key = key(of: id, from: sender) { invoked(key, name, id) }
        case .activationToken(let id, let text, let sender):
            if key(of: id, from: sender) != nil { token = (id, text) }
        case .replied(let id, let text, let sender):
            if let key = key(of: id, from: sender) { replied(key, text) }
        case .inhibited(let isInhibited): self.isInhibited = isInhibited
        case .launcherAppeared: repeatBadges()
        case .elapsed: break
        }
        pump(at: now)
        defer { actions = [] }
        return actions
    }

    /// Whose notification it is; nil for those of other programs, and for what is not said by the
    /// server.
    private func key(of id: UInt32, from sender: String) -> ShownKey? {
        guard case .present(let server) = server, server.identity.owner == sender else {
            return nil
        }
        return shown[id]
    }

    static let startInterval = Duration.seconds(60)
}

extension Presenter {
    func record(_ key: ShownKey, _ entry: Entry) -> ShownRecord {
        // The next process is to have the same doubt.
        let place = entry.isInDoubt && entry.place == .waiting ? .showing : entry.place
        var record = ShownRecord(
            key: key, place: place, maySound: entry.maySound, serverID: entry.serverID,
            server: entry.server)
        if case .act? = entry.requests.last { record.request = entry.requests.last }
        return record
    }

    mutating func keep(_ key: ShownKey) {
        guard let entry = entries[key] else { return }
        actions.append(.keep(record(key, entry)))
    }

    mutating func enqueue(_ key: ShownKey) {
        if !queue.contains(key) { queue.append(key) }
    }

    static func summary(of source: String) -> ShownKey { ShownKey(source, 0, 0) }
}
