/// Notifications that a later payload replaces or takes back under a name.
extension Engine {
    /// True when the message took the place of another, or must not come any more.
    mutating func replaceNamed(_ message: IncomingMessage, level: TrustLevel) -> Bool {
        guard !message.name.isEmpty, let named = account.names[message.name] else { return false }
        if isOutranked(level, under: message.name) { return true }
        if isOutdated(message.order, level, by: named) { return true }
        if named.isTombstone {
            account.names[message.name] = nil
            return named.level == level && isAlive(named)
        }
        guard message.replaces, let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID)
        else { return false }
        account.names[message.name]?.order = message.order ?? named.order
        account.names[message.name]?.level = level
        replace(group.notifications[index], in: group, with: message, level: level)
        return true
    }

    /// Whether a name is held by what came in a better way than this. Then it can neither be taken
    /// nor changed.
    mutating func isOutranked(_ level: TrustLevel, under name: String) -> Bool {
        guard level < .mtproto, let named = account.names[name], self.level(of: named) > level,
            !named.isTombstone || isAlive(named)
        else { return false }
        outranked += 1
        return true
    }

    /// The best that ever was under a name.
    private func level(of named: NamedNotification) -> TrustLevel {
        guard let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID)
        else { return named.level }
        return max(named.level, group.notifications[index].level)
    }

    private func isAlive(_ tombstone: NamedNotification) -> Bool {
        Int64(tombstone.date) + Int64(NamedNotification.tombstoneLife) > Int64(now)
    }

    private mutating func replace(
        _ old: Notification, in group: NotificationGroup, with message: IncomingMessage,
        level: TrustLevel
    ) {
        let new = pushMessage(message, in: group.id, group.chatID)
        if case .newCall(let id, _) = old.content {
            // The invitation is over: it stops ringing and says what became of it.
            endCall(id)
            var rest = message
            rest.chat = .id(group.chatID)
            rest.isSilent = true
            _ = process(rest, level: level)
            return
        }
        change(
            old.id, in: group.id, to: .newPushMessage(new), level: level, isForced: true)
    }

    mutating func retract(_ name: String, order: Int64?, level: TrustLevel) {
        if isOutranked(level, under: name) { return }
        guard let named = account.names[name], !named.isTombstone else {
            dropOldTombstones()
            return leaveTombstone(name, order: order, level: level)
        }
        guard !isOutdated(order, level, by: named), let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID)
        else { return }
        if case .newCall(let id, _) = group.notifications[index].content { return endCall(id) }
        remove(named.notificationID, from: group.id, isPermanent: true, isForced: true)
        leaveTombstone(name, order: order ?? named.order, level: level)
    }

    private mutating func leaveTombstone(_ name: String, order: Int64?, level: TrustLevel) {
        account.names[name] = NamedNotification(
            groupID: 0, notificationID: 0, order: order, date: Int32(clamping: Int64(now)),
            level: level)
    }

    /// What a weaker one said of the order binds nobody better.
    private func isOutdated(
        _ order: Int64?, _ level: TrustLevel, by named: NamedNotification
    ) -> Bool {
        guard let order, let known = named.order else { return false }
        return order < known && level <= self.level(of: named)
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
