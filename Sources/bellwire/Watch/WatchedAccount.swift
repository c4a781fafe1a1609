import Notifications

/// What an engine has said so far: groups of notifications, chats, and what the application allows.
struct WatchedAccount: Sendable {
    struct Chat: Equatable, Sendable {
        var title = ""
        var kind = ""
        /// In seconds since 1970; nil means for good, zero not at all.
        var mutedUntil: Int? = 0

        func isMuted(_ now: Int) -> Bool { mutedUntil.map { $0 > now } ?? true }
    }

    private(set) var groups: [WatchedGroup] = []
    private(set) var chats: [Int64: Chat] = [:]
    private(set) var consent = SourceConsent()
    private(set) var unread = 0
    private var settings = ChatList()

    /// High enough for all chats.
    static let chatsRequest = EngineRequest.chats(limit: ChatReport.limit)

    var isPaused: Bool { settings.isPaused }

    var count: Int { groups.reduce(0) { $0 + $1.notifications.count } }

    func group(_ id: Int32) -> WatchedGroup? { groups.first { $0.id == id } }

    /// Whether the chat is muted unless it has a setting of its own.
    func mutesKind(of chat: Int64) -> Bool { settings.mutes(kind: chats[chat]?.kind ?? "") }

    /// A new connection: what it does not say is not so.
    mutating func joined() {
        consent = SourceConsent()
        unread = 0
    }

    /// True if the update was of chats that are not known.
    mutating func apply(_ update: EngineUpdate) -> Bool {
        switch update {
        case .active(let shown):
            groups = shown.map { group in
                var watched = WatchedGroup(id: group.id)
                watched.take(group.chat, group.title, group.total, group.notifications)
                return watched
            }
            sort()
            return true
        case .change(let change):
            apply(change)
            return groups.contains { $0.id == change.group && chats[$0.chat] == nil }
        case .edit(let id, let notification):
            guard let index = groups.firstIndex(where: { $0.id == id }) else { return false }
            groups[index].add([notification])
        case .consent(let consent): self.consent = consent
        case .badge(let badge): unread = Int(clamping: badge.unread)
        case .refused: break
        }
        return false
    }

    mutating func apply(_ list: ChatList, now: Int) {
        settings = list
        chats = [:]
        for chat in list.chats {
            let seconds = chat.muteTime
            chats[Int64(chat.id)] = Chat(
                title: chat.title, kind: chat.kind,
                mutedUntil: seconds >= ChatList.forGood ? nil : seconds > 0 ? now + seconds : 0)
        }
    }

    private mutating func apply(_ change: EngineUpdate.Change) {
        let index = groups.firstIndex { $0.id == change.group }
        var group = index.map { groups[$0] } ?? WatchedGroup(id: change.group)
        group.take(change.chat, change.title, change.total, change.added)
        group.notifications.removeAll { change.removed.contains($0.facts.id) }
        if let index { groups.remove(at: index) }
        if !group.notifications.isEmpty { groups.append(group) }
        sort()
    }

    /// What is newest comes first.
    private mutating func sort() {
        groups.sort { left, right in
            (left.newest?.date ?? 0, left.newest?.facts.id ?? 0)
                > (right.newest?.date ?? 0, right.newest?.facts.id ?? 0)
        }
    }
}

/// A notification with what the terminal shows of it.
struct WatchedNotification: Equatable, Sendable {
    let facts: EngineNotification
    let text: String

    init(_ facts: EngineNotification, in chat: String) {
        self.facts = facts
        text = WatchText.sentence(facts, in: chat)
    }

    var date: Int { facts.line.date }
}

/// The notifications of one chat.
struct WatchedGroup: Equatable, Sendable {
    let id: Int32
    var chat: Int64 = 0
    var title = ""
    /// How many there are, of which the engine may show only the newest.
    var total = 0
    /// In the order of their numbers.
    var notifications: [WatchedNotification] = []

    /// How many are not shown.
    var hidden: Int { max(total - notifications.count, 0) }
    var newest: WatchedNotification? { notifications.last }

    /// What an update leaves out stays as it is.
    mutating func take(
        _ chat: Int64, _ title: String, _ total: Int, _ added: [EngineNotification]
    ) {
        if chat != 0 { self.chat = chat }
        if !title.isEmpty { self.title = title }
        self.total = total
        add(added)
    }

    mutating func add(_ added: [EngineNotification]) {
        let ids = Set(added.map(\.id))
        notifications.removeAll { ids.contains($0.facts.id) }
        notifications += added.map { WatchedNotification($0, in: title) }
        notifications.sort { $0.facts.id < $1.facts.id }
    }
}
