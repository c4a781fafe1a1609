import Base
import Desktop

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
