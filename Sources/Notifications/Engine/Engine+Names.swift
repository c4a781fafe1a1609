/// Named notifications, which a later payload can replace or retract.
extension Engine {
    /// What to do with a message, judged by its name.
    enum Place {
        case free
        /// Already shown, or retracted.
        case taken
        /// It replaces this notification.
        case heir(of: Notification, in: NotificationGroup.ID)
    }

    mutating func place(of message: IncomingMessage, _ level: TrustLevel) -> Place {
        let place = place(
            under: message.name, message.replacement, order: message.order, level)
        guard case .heir(let old, let groupID) = place else { return place }
        let order = account.names[message.name]?.order
        account.names[message.name]?.order = message.order ?? order
        account.names[message.name]?.level = level
        // A call is no text that could change: it ends, and the message is shown.
        guard message.replacement == .inPlace, !old.isCall else { return place }
        change(old, in: groupID, to: message, level)
        return .taken
    }

    mutating func place(of call: IncomingCall, _ level: TrustLevel) -> Place {
        place(under: call.name, call.replacement, order: call.order, level)
    }

    private mutating func place(
        under name: String, _ replacement: Replacement, order: Int64?, _ level: TrustLevel
    ) -> Place {
        guard !name.isEmpty, let named = account.names[name] else { return .free }
        if isOutranked(level, under: name) || isOutdated(order, level, by: named) { return .taken }
        if named.isTombstone {
            account.names[name] = nil
            return named.level == level && isAlive(named) ? .taken : .free
        }
        guard replacement != .beside, let group = account.groups[named.groupID],
            let index = group.firstIndex(of: named.notificationID)
        else { return .free }
        return .heir(of: group.notifications[index], in: group.id)
    }

    /// Changes what is shown, without a sound. A call stops ringing.
    mutating func change(
        _ old: Notification, in groupID: NotificationGroup.ID, to message: IncomingMessage,
        _ level: TrustLevel
    ) {
        guard let chatID = account.groups[groupID]?.chatID else { return }
        if case .newCall(let id, _) = old.content { return endCall(id) }
        let new = pushMessage(message, in: groupID, chatID)
        change(
            old.id, in: groupID, to: .newPushMessage(new), of: message.origin, level: level,
            isForced: true)
    }

    /// Removes the older one. A call stops ringing.
    mutating func makeWay(_ old: Notification, in groupID: NotificationGroup.ID) {
        if case .newCall(let id, _) = old.content { return endCall(id) }
        remove(old.id, from: groupID, isPermanent: true, isForced: true)
    }

    /// Whether the name belongs to something at a higher trust level, which this payload may
    /// neither replace nor retract.
    private mutating func isOutranked(_ level: TrustLevel, under name: String) -> Bool {
        guard level < .mtproto, let named = account.names[name], self.level(of: named) > level,
            !named.isTombstone || isAlive(named)
        else { return false }
        outranked += 1
        return true
    }

    /// The highest trust level that a name has had.
    private func level(of named: NamedNotification) -> TrustLevel {
        let known = account.groups[named.groupID]?.notification(named.notificationID)
        return max(named.level, known?.level ?? named.level)
    }

    private func isAlive(_ tombstone: NamedNotification) -> Bool {
        tombstone.date + NamedNotification.tombstoneLife > Int64(time: now)
    }

    /// Retracts what has the name, and leaves a tombstone so that a late message does not appear.
    mutating func retract(
        _ name: String, order: Int64?, level: TrustLevel, leavesTombstone: Bool = true
    ) {
        if isOutranked(level, under: name) { return }
        guard let named = account.names[name], !named.isTombstone else {
            guard leavesTombstone else { return }
            dropOldTombstones()
            return leaveTombstone(name, order: order, level: level)
        }
        guard !isOutdated(order, level, by: named), let group = account.groups[named.groupID],
            let known = group.notification(named.notificationID)
        else { return }
        takeBack(known, from: group)
        guard leavesTombstone else { return }
        leaveTombstone(name, order: order ?? named.order, level: level)
    }

    private mutating func takeBack(_ known: Notification, from group: NotificationGroup) {
        if case .newCall(let id, _) = known.content {
            endCall(id)
        } else if group.sleeping.contains(where: { $0.id == known.id }) {
            account.groups[group.id]?.sleeping.removeAll { $0.id == known.id }
            forgetName(of: known)
        } else {
            remove(known.id, from: group.id, isPermanent: true, isForced: true)
        }
    }

    /// Takes back what the push shows that the host calls so, also under names of the sender's own.
    mutating func withdraw(_ push: String, level: TrustLevel, now: Double) -> Outcome {
        let outcome = process([.ended(name: push, order: nil)], level: level, now: now)
        guard outcome == .ok else { return outcome }
        for shown in account.groups.notifications(where: { $0.origin == push })
        where shown.notification.level <= level {
            guard let group = account.groups[shown.group] else { continue }
            takeBack(shown.notification, from: group)
        }
        return .ok
    }

    private mutating func leaveTombstone(_ name: String, order: Int64?, level: TrustLevel) {
        account.names[name] = NamedNotification(
            groupID: 0, notificationID: 0, order: order, date: Int64(time: now), level: level)
    }

    /// Whether a newer message is known. The order of a weaker payload does not bind a stronger
    /// one.
    private func isOutdated(
        _ order: Int64?, _ level: TrustLevel, by named: NamedNotification
    ) -> Bool {
        guard let order, let known = named.order else { return false }
        return order < known && level <= self.level(of: named)
    }

    private mutating func dropOldTombstones() {
        guard account.names.count.isMultiple(of: Self.tombstoneCheck) else { return }
        let age = account.names.count > Self.tombstoneLimit ? 0 : NamedNotification.tombstoneLife
        let limit = Int64(time: now) - age
        account.names = account.names.filter {
            !$0.value.isTombstone || $0.value.date > limit
        }
    }

    /// After how many new names the expired ones are removed, and how many names there may be.
    private static let tombstoneCheck = 256
    private static let tombstoneLimit = 20_000
}

extension Account {
    /// The trust level of what shows the push that the host calls so; nil for nothing.
    package func level(ofPush name: String) -> TrustLevel? {
        names[name]?.level
            ?? groups.notifications { $0.origin == name }.map(\.notification.level).max()
    }
}
