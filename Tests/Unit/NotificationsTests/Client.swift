import Testing

@testable import Notifications

/// A client that knows only the updates it was sent, and reports forbidden ones.
struct Client {
    private(set) var groups: [Int32: Group] = [:]
    private(set) var pending: (delayed: Bool, unreceived: Bool)?
    /// Notifications removed by the user or a deletion, by group and number: they must not return.
    var gone: Set<[Int32]> = []
    var highestID: Int32 = 0
    var countLimit = 25
    var sizeLimit = 25

    struct Group: Equatable {
        var chatID: ChatID
        var kind: NotificationGroup.Kind
        var totalCount: Int
        var notifications: [Int32: Notification]
    }

    /// A new process without any knowledge.
    mutating func restart() { (groups, pending) = ([:], nil) }

    mutating func take(_ updates: [Update]) {
        for update in updates { take(update) }
    }

    private mutating func take(_ update: Update) {
        switch update {
        case .activeNotifications(let active):
            groups = [:]
            for group in active {
                groups[group.id] = Group(
                    chatID: group.chatID, kind: group.kind, totalCount: group.totalCount,
                    notifications: Dictionary(
                        uniqueKeysWithValues: group.notifications.map { ($0.id, $0) }))
            }
        case .group(let update): take(update)
        case .notification(let groupID, let notification):
            #expect(groups[groupID]?.notifications[notification.id] != nil)
            groups[groupID]?.notifications[notification.id] = notification
        case .havePending(let delayed, let unreceived):
            if let pending { #expect(pending != (delayed, unreceived)) }
            pending = (delayed, unreceived)
        default: break
        }
        #expect(groups.values.allSatisfy { $0.notifications.count <= sizeLimit })
        #expect(groups.values.filter { !$0.notifications.isEmpty }.count <= countLimit)
    }

    private mutating func take(_ update: GroupUpdate) {
        var group =
            groups[update.groupID]
            ?? Group(chatID: update.chatID, kind: update.kind, totalCount: 0, notifications: [:])
        let added = Set(update.added.map(\.id))
        #expect(added.isDisjoint(with: update.removed), "never added and removed at once")
        #expect(
            update.added.map(\.id) == added.sorted() && update.removed == update.removed.sorted())
        #expect(
            added.allSatisfy { !gone.contains([update.groupID, $0]) },
            "what was removed never returns")
        #expect(update.added.isEmpty == false || update.soundID == 0)
        for id in update.removed {
            #expect(group.notifications.removeValue(forKey: id) != nil, "removed what was shown")
        }
        for notification in update.added {
            #expect(group.notifications[notification.id] == nil, "added what was not shown")
            group.notifications[notification.id] = notification
        }
        group.chatID = update.chatID
        group.kind = update.kind
        group.totalCount = update.totalCount
        groups[update.groupID] = group
    }

    /// The shown notifications, to compare with what the engine would announce again.
    var visible: [Int32: Group] { groups.filter { !$0.value.notifications.isEmpty } }

    static func visible(_ engine: Engine) -> [Int32: Group] {
        var client = Client()
        client.take([.activeNotifications(engine.activeGroups)])
        return client.visible
    }
}
