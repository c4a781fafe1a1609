/// Notifications that a later payload replaces or takes back under a name.
extension Engine {
    /// True when the message took the place of another, or must not come any more.
    mutating func replaceNamed(_ message: IncomingMessage, level: TrustLevel) -> Bool {
        guard !message.name.isEmpty, let named = account.names[message.name] else { return false }
        if isOutdated(message.order, by: named) { return true }
        if named.isTombstone {
            account.names[message.name] = nil
            return named.level >= level
                && Int64(named.date) + Int64(NamedNotification.tombstoneLife) > Int64(now)
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
            return leaveTombstone(name, order: order, level: level)
        }
        guard !isOutdated(order, by: named), let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID),
            group.notifications[index].level <= level
        else { return }
        if case .newCall(let id) = group.notifications[index].content { return endCall(id) }
        remove(named.notificationID, from: group.id, isPermanent: true, isForced: true)
        leaveTombstone(name, order: order ?? named.order, level: level)
    }

    private mutating func leaveTombstone(_ name: String, order: Int64?, level: TrustLevel) {
        account.names[name] = NamedNotification(
            groupID: 0, notificationID: 0, order: order, date: Int32(clamping: Int64(now)),
            level: level)
    }

    private func isOutdated(_ order: Int64?, by named: NamedNotification) -> Bool {
        guard let order, let known = named.order else { return false }
        return order < known
    }

    private mutating func dropOldTombstones() {
        guard account.names.count.isMultiple(of: Self.tombstoneCheck) else { return }
        let age = account.names.count > Self.tombstoneLimit ? 0 : NamedNotification.tombstoneLife
        let limit = Int64(now) - Int64(age)
        account.names = account.names.filter {
            !$0.value.isTombstone || Int64($0.value.date) > limit
        }
    }

    /// After how many names those that are over are looked for, and how many are too many.
    private static let tombstoneCheck = 256
    private static let tombstoneLimit = 20_000
}
