/// Notifications that a later payload replaces or takes back under a name.
extension Engine {
    /// True when the message took the place of another, or must not come any more.
    mutating func replaceNamed(_ message: IncomingMessage, level: TrustLevel) -> Bool {
        guard !message.name.isEmpty, let named = account.names[message.name] else { return false }
        if isOutdated(message.order, by: named) { return true }
        if named.isTombstone {
            account.names[message.name] = nil
            return Int64(named.date) + Int64(NamedNotification.tombstoneLife) > Int64(now)
        }
        guard message.replaces, let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID),
            group.notifications[index].level <= level
        else { return false }
        account.names[message.name]?.order = message.order ?? named.order
        replace(group.notifications[index], in: group, with: message)
        return true
    }

    private mutating func replace(
        _ old: Notification, in group: NotificationGroup, with message: IncomingMessage
    ) {
        let new = pushMessage(message, in: group.id, group.chatID)
        if case .newCall(let id) = old.content {
            // The invitation is over: it stops ringing and says what became of it.
            endCall(id)
            var rest = message
            rest.chat = .id(group.chatID)
            rest.isSilent = true
            _ = process(rest, level: old.level)
            return
        }
        change(old.id, in: group.id, to: .newPushMessage(new), isForced: true)
    }

    mutating func retract(_ name: String, order: Int64?, level: TrustLevel) {
        guard let named = account.names[name], !named.isTombstone else {
            dropOldTombstones()
            account.names[name] = NamedNotification(
                groupID: 0, notificationID: 0, order: order, date: Int32(clamping: Int64(now)))
            return
        }
        guard !isOutdated(order, by: named), let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID),
            group.notifications[index].level <= level
        else { return }
        if case .newCall(let id) = group.notifications[index].content { return endCall(id) }
        remove(named.notificationID, from: group.id, isPermanent: true, isForced: true)
        account.names[name] = NamedNotification(
            groupID: 0, notificationID: 0, order: order ?? named.order,
            date: Int32(clamping: Int64(now)))
    }

    private func isOutdated(_ order: Int64?, by named: NamedNotification) -> Bool {
        guard let order, let known = named.order else { return false }
        return order < known
    }

    private mutating func dropOldTombstones() {
        let limit = Int64(now) - Int64(NamedNotification.tombstoneLife)
        guard account.names.count > Self.tombstoneCheck else { return }
        account.names = account.names.filter {
            !$0.value.isTombstone || Int64($0.value.date) > limit
        }
    }

    private static let tombstoneCheck = 256
}
