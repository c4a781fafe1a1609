package import Base
import Notifications
import Pictures

/// Decides what is on the screen: updates of engines and signals of the notification server go in,
/// calls and records come out.
///
/// It is pure state, without bus, socket, store or clock. `now` counts from some moment and never
/// goes back. One `Notify` runs at a time, so that after a crash at most one is in doubt.
package struct Presenter: Sendable {
    /// The chat of a group; the id is 0 if unknown.
    struct Chat: Equatable, Sendable {
        var id: Int64 = 0
        var title = ""
    }

    /// One notification, or the summary of a source.
    struct Entry: Equatable, Sendable {
        var chat: Chat
        /// Nil for summaries, and after a restart until the engine sends it again.
        var notification: EngineNotification?
        var place: ShownRecord.Place
        var maySound = false
        var serverID: UInt32 = 0
        var server: ServerIdentity?
        /// When it was last shown or changed; nil if only a previous process showed it.
        var shownAt: Duration?
        /// The hash of what is shown; 0 if unknown.
        var digest: UInt64 = 0
        var isDirty = false
        /// It may be on the screen under an unknown id.
        var isInDoubt = false
        /// The engine no longer has it, but it may still be on the screen.
        var isDoomed = false
        var failures = 0
        /// The user's requests until the engine confirms them; the last one removes the
        /// notification.
        var requests: [EngineRequest] = []
        /// The last press on a button that the desktop acts on, and when it was.
        var press: ButtonPress?
        var pressedAt: Duration?
        /// When a request was sent last.
        var sentAt: Duration?
        /// The name of the picture that was asked for last.
        var pictureName = ""
        var picture: Picture?
    }

    struct Source: Equatable, Sendable {
        var settings: PresentedSource
        var consent = SourceConsent()
        /// The highest notification id seen in each group; a lower one is not new.
        var highest: [Int32: Int32] = [:]
        var pace = Pace()
        /// When the summary may be shown again.
        var nextSummary = Duration.zero
        /// Nil until the engine sends it.
        var badge: Int64?
        /// How many messages each group has, as the engine counts them.
        var totals: [Int32: Int] = [:]
        /// How many notifications of each group made way for newer ones before they came up.
        var passed: [Int32: Int] = [:]
        /// The last known chat of each group.
        var chats: [Int32: Int64] = [:]
    }

    enum Server: Equatable, Sendable {
        case absent
        /// The server was asked to start, or could not be started. There is no new attempt before
        /// this time.
        case awaited(until: Duration)
        case present(NotificationServer)

        var isPresent: Bool { if case .present = self { true } else { false } }
    }

    struct Flight: Equatable, Sendable {
        let ticket: Int
        var key: ShownKey
        let digest: UInt64
        let isSounding: Bool
        /// The result is no longer wanted.
        var isOrphan = false
    }

    let language: Language
    /// Makes a text that nobody can guess and that differs each time.
    let freshKey: @Sendable () -> String
    var entries: [ShownKey: Entry] = [:]
    var sources: [String: Source] = [:]
    var server = Server.absent
    /// Waits for the server, oldest first.
    var queue: [ShownKey] = []
    var flight: Flight?
    var lastTicket = 0
    /// No calls before this time, because one failed.
    var pausedUntil = Duration.zero
    var shown: [UInt32: ShownKey] = [:]
    /// An activation token arrives just before its action.
    var token: (id: UInt32, text: String)?
    var isInhibited = false
    /// The notifications whose pictures are kept, to be shown again, oldest first.
    var pictured: [ShownKey] = []
    var actions: [PresenterAction] = []

    /// Starts from what was on the screen when the previous process ended.
    package init(
        _ settings: [PresentedSource], language: Language = .english,
        history: ShownHistory = ShownHistory(), freshKey: @escaping @Sendable () -> String
    ) {
        (self.language, self.freshKey) = (language, freshKey)
        for source in settings {
            sources[source.id] = Source(
                settings: source, highest: history.highest[source.id] ?? [:])
        }
        for record in history.records { restore(record) }
    }

    private mutating func restore(_ record: ShownRecord) {
        var entry = Entry(chat: Chat(), place: record.place, maySound: record.maySound)
        entry.requests = record.request.map { [$0] } ?? []
        // It may have arrived under an unknown id, so it is shown again.
        if record.place == .showing {
            (entry.place, entry.maySound, entry.isInDoubt) = (.waiting, false, true)
        }
        (entry.serverID, entry.server) = (record.serverID, record.server)
        entry.press = record.press?.afterRestart
        // The user waits for a result.
        if record.press?.state == .sent, record.place == .listed { entry.place = .waiting }
        entries[record.key] = entry
        guard sources[record.key.source] == nil else { return }
        // Its source is gone.
        remove(record.key)
    }

    /// When to call `handle` with `.elapsed`, at the latest.
    package func deadline(at now: Duration) -> Duration? {
        // Without a server nothing is due; its appearance is an event.
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
            if let key = key(of: id, from: sender) { invoked(key, name, id, now) }
        case .activationToken(let id, let text, let sender):
            if key(of: id, from: sender) != nil { token = (id, text) }
        case .replied(let id, let text, let sender):
            if let key = key(of: id, from: sender) { replied(key, text) }
        case .pressEnded(let key, let press, let state): pressEnded(key, press, state)
        case .inhibited(let isInhibited): self.isInhibited = isInhibited
        case .pictureCame(let key, let name, let picture): show(picture, name, at: key)
        case .launcherAppeared: repeatBadges()
        case .elapsed: break
        }
        pump(at: now)
        defer { actions = [] }
        return actions
    }

    /// The notification with this id; nil for those of other programs, and if the sender is not the
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
        // The next process must have the same doubt.
        let place = entry.isInDoubt && entry.place == .waiting ? .showing : entry.place
        var record = ShownRecord(
            key: key, place: place, maySound: entry.maySound, serverID: entry.serverID,
            server: entry.server)
        if case .act? = entry.requests.last { record.request = entry.requests.last }
        record.press = entry.press
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
