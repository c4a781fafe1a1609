package import Base

/// The notifications of one chat that belong together.
package struct NotificationGroup: Equatable, Sendable {
    /// It is stored as its number.
    package enum Kind: UInt8, Sendable {
        case messages = 0
        case mentions = 1
        case secretChat = 2
        case calls = 3
    }

    package typealias ID = Int32

    package private(set) var id: ID
    package var kind: Kind
    package var chatID: ChatID
    package var totalCount = 0
    /// Decides the group's place in the list: the date of its latest notification, or of a later one
    /// that was removed without an update. 0 when there is nothing to show.
    package var date: Int64 = 0
    /// Sorted by id.
    package var notifications: [Notification] = []
    /// Notifications that were received, but are delayed in case the user reads the message
    /// elsewhere.
    package var pending: [PendingNotification] = []
    /// Notifications that are hidden because the client switched notifications off. They are shown
    /// again after the next start.
    package var sleeping: [Notification] = []

    package init(id: ID, kind: Kind, chatID: ChatID) {
        self.id = id
        self.kind = kind
        self.chatID = chatID
    }

    var latestDate: Int64 {
        var date: Int64 = 0
        for index in notifications.indices { date = max(date, notifications[index].date) }
        return date
    }

    package var key: GroupKey { GroupKey(date: date, chatID: chatID, id: id) }

    /// Whether the total count always equals the number of notifications.
    package var isComplete: Bool { kind == .secretChat || kind == .calls }

    package func shown(limit: Int) -> ArraySlice<Notification> { notifications.suffix(limit) }

    /// Removes a notification that is being replaced; returns its id if it was shown.
    mutating func give(up id: Notification.ID, limit: Int) -> Notification.ID? {
        guard let index = firstIndex(of: id) else { return nil }
        let isShown = index + limit >= notifications.count
        notifications.remove(at: index)
        totalCount = max(totalCount - 1, 0)
        return isShown ? id : nil
    }

    package func firstIndex(of id: Notification.ID) -> Int? {
        let index = notifications.partitioningIndex { $0.id >= id }
        return index < notifications.count && notifications[index].id == id ? index : nil
    }

    /// Also one that waits to be shown, or sleeps.
    func notification(_ id: Notification.ID) -> Notification? {
        if let index = firstIndex(of: id) { return notifications[index] }
        return pending.last { $0.notification.id == id }?.notification
            ?? sleeping.last { $0.id == id }
    }
}

/// A notification that waits to be shown, with what its update needs.
package struct PendingNotification: Equatable, Sendable {
    package var notification: Notification
    package private(set) var settingsChatID: ChatID
    package private(set) var soundID: Int64
    /// When it may be shown at the latest; seconds since 1970.
    package private(set) var due: Double
}

extension Array {
    /// The first index whose element satisfies a condition that also holds for all later ones.
    func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension NotificationGroup: Coded {
    package static var blank: NotificationGroup {
        NotificationGroup(id: 0, kind: .messages, chatID: ChatID(0))
    }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&id)
        coder.require(id > 0)
        coder.choice(&kind)
        chatID.code(&coder)
        var count = UInt32(clamping: totalCount)
        coder.number(&count)
        totalCount = Int(count)
        coder.date(&date)
        coder.list(&notifications)
        coder.list(&sleeping)
        coder.list(&pending)
    }
}

extension PendingNotification: Coded {
    package static var blank: PendingNotification {
        PendingNotification(
            notification: .blank, settingsChatID: ChatID(0), soundID: 0, due: 0)
    }

    package mutating func code(_ coder: inout Coder) {
        notification.code(&coder)
        settingsChatID.code(&coder)
        coder.number(&soundID)
        coder.time(&due)
    }
}

/// All groups by their ids.
package struct GroupTable: Sendable, Equatable {
    private var groups: [NotificationGroup.ID: NotificationGroup] = [:]

    package subscript(id: NotificationGroup.ID) -> NotificationGroup? {
        get { groups[id] }
        set { groups[id] = newValue }
        _modify { yield &groups[id] }
    }

    /// Removes a group, for callers that change much of it: changed in the table, it would be
    /// copied.
    mutating func remove(_ id: NotificationGroup.ID) -> NotificationGroup? {
        groups.removeValue(forKey: id)
    }

    /// Changes a group in place, which is faster than the subscript.
    mutating func change(
        _ id: NotificationGroup.ID, _ body: (inout NotificationGroup) -> Void
    ) {
        guard let index = groups.index(forKey: id) else { return }
        body(&groups.values[index])
    }

    /// Sorted by id.
    package var all: [NotificationGroup] { groups.values.sorted { $0.id < $1.id } }

    package var ids: [NotificationGroup.ID] { groups.keys.sorted() }

    /// The notifications that match, also those that wait or sleep, sorted by their ids.
    func notifications(
        where isWanted: (Notification) -> Bool
    ) -> [(group: NotificationGroup.ID, notification: Notification)] {
        var found: [(group: NotificationGroup.ID, notification: Notification)] = []
        for group in groups.values {
            for one in group.sleeping where isWanted(one) { found.append((group.id, one)) }
            for one in group.notifications where isWanted(one) { found.append((group.id, one)) }
            for one in group.pending where isWanted(one.notification) {
                found.append((group.id, one.notification))
            }
        }
        return found.sorted { ($0.notification.id, $0.group) < ($1.notification.id, $1.group) }
    }

    mutating func code(_ coder: inout Coder) {
        var all = all
        coder.list(&all)
        coder.require(all.map(\.id).isAscending)
        guard coder.isReading else { return }
        for group in all { groups[group.id] = group }
    }
}
