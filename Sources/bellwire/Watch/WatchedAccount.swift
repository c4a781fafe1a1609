import Base
import Desktop
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
    private(set) var isPaused = false
    private(set) var unread = 0
    private var mutedKinds: Set<String> = []

    private static let forGood = Int64(Int32.max)

    var count: Int { groups.reduce(0) { $0 + $1.notifications.count } }

    func group(_ id: Int32) -> WatchedGroup? { groups.first { $0.id == id } }

    /// Whether the chat is muted unless it has a setting of its own.
    func mutesKind(of chat: Int64) -> Bool {
        let kind = chats[chat]?.kind ?? ""
        return mutedKinds.contains(kind == "secret" ? "private" : kind)
    }

    /// A new connection: what it does not say is not so.
    mutating func joined() {
        consent = SourceConsent()
        unread = 0
    }

    /// True if the update was of chats that are not known, or whose settings have changed.
    mutating func apply(_ update: JSONNode, now: Int) -> Bool {
        switch update["@type"]?.text {
        case "updateActiveNotifications":
            groups = (update["groups"]?.elements ?? []).compactMap { node in
                Self.number(node["id"]).map { id in
                    Self.change(WatchedGroup(id: id), node, added: node["notifications"])
                }
            }
            sort()
            return true
        case "updateNotificationGroup":
            guard let id = Self.number(update["notification_group_id"]) else { return false }
            change(id, update)
            return groups.contains { $0.id == id && chats[$0.chat] == nil }
        case "updateNotification":
            guard let id = Self.number(update["notification_group_id"]),
                let index = groups.firstIndex(where: { $0.id == id }),
                let node = update["notification"],
                let changed = WatchedNotification(node, in: groups[index].title)
            else { return false }
            groups[index].add([changed])
        case "updateChatNotificationSettings", "updateScopeNotificationSettings": return true
        case "bellwire.updateSource": consent = SourceConsent(update)
        case "bellwire.updateUnreadBadge": unread = Int(clamping: update["count"]?.integer ?? 0)
        default: break
        }
        return false
    }

    /// The answer to `bellwire.getChats`.
    mutating func applyChats(_ answer: JSONNode, now: Int) {
        chats = [:]
        for node in answer["chats"]?.elements ?? [] {
            guard let id = node["chat_id"]?.integer else { continue }
            let seconds = node["mute_for"]?.integer ?? 0
            chats[id] = Chat(
                title: node["title"]?.text ?? "", kind: node["type"]?.text ?? "",
                mutedUntil: seconds >= Self.forGood
                    ? nil : seconds > 0 ? now + Int(clamping: seconds) : 0)
        }
        isPaused = answer["source"]?["paused"]?.bool ?? false
        mutedKinds = Set(
            (answer["scopes"]?.members ?? []).filter { ($0.value.integer ?? 0) != 0 }.map(\.name))
    }

    private mutating func change(_ id: Int32, _ update: JSONNode) {
        let index = groups.firstIndex { $0.id == id }
        let former = index.map { groups[$0] } ?? WatchedGroup(id: id)
        var group = Self.change(former, update, added: update["added_notifications"])
        let gone = Set((update["removed_notification_ids"]?.elements ?? []).compactMap(Self.number))
        group.notifications.removeAll { gone.contains($0.facts.id) }
        if let index { groups.remove(at: index) }
        if !group.notifications.isEmpty { groups.append(group) }
        sort()
    }

    private static func change(
        _ group: WatchedGroup, _ node: JSONNode, added: JSONNode?
    ) -> WatchedGroup {
        var group = group
        group.chat = node["chat_id"]?.integer ?? group.chat
        group.title = node["bellwire.chat_title"]?.text ?? group.title
        group.total = Int(clamping: node["total_count"]?.integer ?? 0)
        let title = group.title
        group.add(
            (added?.elements ?? []).compactMap { WatchedNotification($0, in: title) })
        return group
    }

    /// What is newest comes first.
    private mutating func sort() {
        groups.sort { left, right in
            (left.newest?.date ?? 0, left.newest?.facts.id ?? 0)
                > (right.newest?.date ?? 0, right.newest?.facts.id ?? 0)
        }
    }

    private static func number(_ node: JSONNode?) -> Int32? {
        node?.integer.flatMap(Int32.init(exactly:))
    }
}

/// A notification with what the terminal shows of it.
struct WatchedNotification: Equatable, Sendable {
    let facts: EngineNotification
    let text: String
    let date: Int

    init?(_ node: JSONNode, in chat: String) {
        guard let facts = EngineNotification(node) else { return nil }
        self.facts = facts
        text = WatchText.sentence(node, in: chat)
        date = Int(node["date"]?.integer ?? 0)
    }
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

    mutating func add(_ added: [WatchedNotification]) {
        let ids = Set(added.map(\.facts.id))
        notifications.removeAll { ids.contains($0.facts.id) }
        notifications += added
        notifications.sort { $0.facts.id < $1.facts.id }
    }
}
