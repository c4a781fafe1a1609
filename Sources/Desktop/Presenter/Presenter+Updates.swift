import Base
import Notifications

/// Updates of engines.
extension Presenter {
    mutating func apply(_ update: EngineUpdate, from source: String) {
        switch update {
        case .active(let groups): reconcile(groups, source)
        case .change(let change): apply(change, source)
        case .edit(let group, let notification):
            let key = ShownKey(source, group, notification.id)
            // An edit only changes a notification that is in the list.
            if let entry = entries[key] { edit(key, notification, entry.chat) }
        case .badge(let badge): setBadge(badge.count, source)
        case .consent(let consent): agree(to: consent, source)
        case .refused(let group, let notification):
            refused(ShownKey(source, group, notification))
        }
    }

    /// Compares with the engine's whole state, after a break in which anything may have happened.
    private mutating func reconcile(_ groups: [EngineUpdate.Group], _ source: String) {
        var present: Set<ShownKey> = [Self.summary(of: source)]
        for group in groups { meet(group.chat, in: group.id, source) }
        // Older notifications come first, across groups.
        let all = groups.flatMap { group in group.notifications.map { (group, $0) } }
            .sorted { $0.1.id < $1.1.id }
        for (group, notification) in all {
            let key = ShownKey(source, group.id, notification.id)
            present.insert(key)
            add(
                key, notification, Chat(id: group.chat, title: group.title),
                isSounding: !notification.isSilent)
            // The engine did not get the user's request.
            if let entry = entries[key], entry.place == .dismissed { request(again: key, entry) }
        }
        for key in entries.keys where key.source == source && !present.contains(key) {
            remove(key)
        }
        touchSummary(of: source)
    }

    private mutating func request(again key: ShownKey, _ entry: Entry) {
        let removal = EngineRequest.remove(group: key.group, notification: key.notification)
        // The source may not have said before that this is for one screen.
        if sources[key.source]?.consent.dismissal == .here,
            entry.requests.allSatisfy({ $0 == removal })
        {
            return setAside(key)
        }
        for request in entry.requests.isEmpty ? [removal] : entry.requests {
            actions.append(.request(source: key.source, request))
        }
    }

    /// If the group belonged to another chat before, its old notifications are gone, whatever their
    /// ids.
    private mutating func meet(_ chat: Int64, in group: Int32, _ source: String) {
        let former = sources[source]?.chats.updateValue(chat, forKey: group)
        guard let former, former != chat else { return }
        sources[source]?.highest[group] = nil
        sources[source]?.passed[group] = nil
        for key in entries.keys where key.source == source && key.group == group { remove(key) }
    }

    private mutating func apply(_ change: EngineUpdate.Change, _ source: String) {
        meet(change.chat, in: change.group, source)
        forgetPassed(source)
        let removed = change.removed.map { ShownKey(source, change.group, $0) }
        for notification in change.added {
            let key = ShownKey(source, change.group, notification.id)
            if let former = removed.first(where: { isSame(notification, at: $0) }) {
                moveEntry(from: former, to: key)
            }
            let isSounding = change.isSounding && !notification.isSilent
            add(
                key, notification, Chat(id: change.chat, title: change.title),
                isSounding: isSounding)
        }
        countPassed(change, removed, source)
        for key in removed { remove(key) }
    }

    /// The engine shows only the newest notifications of a chat. Those that made way before they came
    /// up still count in the summary; those that were taken back lower the engine's count.
    private mutating func countPassed(
        _ change: EngineUpdate.Change, _ removed: [ShownKey], _ source: String
    ) {
        let former = sources[source]?.totals.updateValue(change.total, forKey: change.group)
        let total = (former ?? change.total - change.added.count) + change.added.count
        let takenBack = max(total - change.total, 0)
        let unseen = removed.count { isUnseen($0) }
        // Only a newer one makes another give way; what a client removes may leave the total as it is.
        let last = change.removed.max() ?? 0
        let newer = change.added.count { $0.id > last }
        let count = min(unseen, max(removed.count - takenBack, 0), newer)
        if count > 0 { sources[source]?.passed[change.group, default: 0] += count }
    }

    private func isUnseen(_ key: ShownKey) -> Bool {
        guard let place = entries[key]?.place else { return false }
        return place == .waiting || place == .summarised
    }

    /// A summary counts from the time when everything before it had come up.
    mutating func forgetPassed(_ source: String) {
        guard sources[source]?.passed.isEmpty == false,
            !entries.keys.contains(where: {
                $0.source == source && $0.notification != 0 && isUnseen($0)
            })
        else { return }
        sources[source]?.passed = [:]
    }

    /// Whether it is the message that was known only from its push before.
    private func isSame(_ notification: EngineNotification, at key: ShownKey) -> Bool {
        guard notification.messageID != 0, let entry = entries[key] else { return false }
        return entry.notification?.messageID == notification.messageID
    }

    /// The new notification takes the place of the former one on the screen.
    private mutating func moveEntry(from former: ShownKey, to key: ShownKey) {
        guard entries[key] == nil, var entry = entries.removeValue(forKey: former) else { return }
        entry.isDirty = true
        entries[key] = entry
        if shown[entry.serverID] == former { shown[entry.serverID] = key }
        if flight?.key == former, flight?.isOrphan == false { flight?.key = key }
        for index in queue.indices where queue[index] == former { queue[index] = key }
        for index in pictured.indices where pictured[index] == former { pictured[index] = key }
        keep(key)
        actions.append(.forget(former))
    }

    private mutating func add(
        _ key: ShownKey, _ notification: EngineNotification, _ chat: Chat, isSounding: Bool
    ) {
        guard entries[key] == nil else {
            sources[key.source]?.raise(to: key)
            return edit(key, notification, chat)
        }
        // A notification that was seen before returns to the list but does not come up again.
        let isNew = notification.id > sources[key.source]?.highest[key.group] ?? 0
        sources[key.source]?.raise(to: key)
        entries[key] = Entry(
            chat: chat, notification: notification, place: isNew ? .waiting : .listed,
            maySound: isNew && isSounding)
        keep(key)
        if isNew { enqueue(key) }
    }

    private mutating func edit(
        _ key: ShownKey, _ notification: EngineNotification, _ chat: Chat
    ) {
        guard var entry = entries[key] else { return }
        let isFirst = entry.notification == nil
        guard isFirst || entry.notification != notification || entry.chat != chat else { return }
        // The user has closed the former state, and this screen has not seen the later one, which comes
        // up without a sound: the notification is the same, and has had its one.
        let isNews = entry.place == .aside && !isFirst && entry.notification != notification
        if isNews { (entry.place, entry.maySound) = (.waiting, false) }
        (entry.notification, entry.chat, entry.isDoomed) = (notification, chat, false)
        // What became of a press on the former state is no news any more.
        let isOver = !isFirst && entry.press != nil && entry.press?.state != .sent
        if isOver { entry.press = nil }
        entries[key] = entry
        if isOver || isNews { keep(key) }
        // That of an earlier state would tell something else than the text.
        if notification.picture != entry.pictureName { forgetPicture(of: key) }
        redraw(key)
        askForPicture(of: key)
        #if PLANTED
            if PlantedMistake.requestRepeated.isMade, isFirst,
                let former = entry.press, former.state == .unknown,
                let action = notification.actions.first(where: { $0.name == former.button })
            {
                press(key, action, nil, .zero)
            }
        #endif
    }

    mutating func redraw(_ key: ShownKey) {
        entries[key]?.isDirty = true
        switch entries[key]?.place {
        case .waiting, .shown: enqueue(key)
        case .summarised: touchSummary(of: key.source)
        // If a call is running, `notified` looks at `isDirty` after it.
        case .showing, .listed, .dismissed, .aside, nil: break
        }
    }

    /// The engine no longer has it.
    mutating func remove(_ key: ShownKey) {
        guard let entry = entries[key] else { return }
        // Without a server it is unknown whether the notification is still on the screen.
        if entry.place == .shown, !server.isPresent {
            entries[key]?.isDoomed = true
            return
        }
        if entry.place == .waiting, entry.isInDoubt {
            entries[key]?.isDoomed = true
            return enqueue(key)
        }
        forgetPicture(of: key)
        entries[key] = nil
        queue.removeAll { $0 == key }
        if entry.place == .summarised { touchSummary(of: key.source) }
        if flight?.key == key { flight?.isOrphan = true }
        if shown[entry.serverID] == key {
            shown[entry.serverID] = nil
            #if PLANTED
                if PlantedMistake.leaveOnScreen.isMade { return actions.append(.forget(key)) }
            #endif
            actions.append(.close(key, id: entry.serverID))
        } else if flight?.key != key {
            // If a call is running, the notification is closed after it under its new id, and then
            // forgotten.
            actions.append(.forget(key))
        }
    }

    mutating func begin(_ settings: PresentedSource) {
        if sources[settings.id] == nil {
            sources[settings.id] = Source(settings: settings)
            actions.append(.forgetHighest(source: settings.id))
        } else {
            let count = sources[settings.id]?.badge
            endBadge(settings.id)
            sources[settings.id]?.settings = settings
            if let count { setBadge(count, settings.id) }
        }
    }

    /// Removes and forgets everything of the source.
    mutating func clear(_ source: String) {
        for key in entries.keys where key.source == source { remove(key) }
        endBadge(source)
        sources[source]?.chats = [:]
        sources[source]?.totals = [:]
        sources[source]?.passed = [:]
        guard sources[source]?.highest.isEmpty == false else { return }
        sources[source]?.highest = [:]
        actions.append(.forgetHighest(source: source))
    }

    /// Consent changes which buttons a notification has.
    private mutating func agree(to consent: SourceConsent, _ source: String) {
        guard sources[source]?.consent != consent else { return }
        sources[source]?.consent = consent
        for (key, entry) in entries where key.source == source {
            if entry.place == .shown || entry.place == .showing { redraw(key) }
        }
    }

    /// The engine refuses the user's action. At least the notification is removed, unless others may
    /// still answer what it asks, or the user with other words.
    private mutating func refused(_ key: ShownKey) {
        guard let request = entries[key]?.requests.last else { return }
        guard case .act = request else { return remove(key) }
        if entries[key]?.notification?.isQuestion == true {
            entries[key]?.requests = []
            entries[key]?.place = .waiting
            entries[key]?.maySound = false
            keep(key)
            return enqueue(key)
        }
        let removal = EngineRequest.remove(group: key.group, notification: key.notification)
        entries[key]?.requests = [removal]
        keep(key)
        actions.append(.request(source: key.source, removal))
    }
}

extension Presenter.Source {
    mutating func raise(to key: ShownKey) {
        highest[key.group] = max(highest[key.group] ?? 0, key.notification)
        if highest.count > ShownHistory.groupLimit { forgetOldGroups() }
    }

    /// Drops half of the groups, those that had no news for the longest time. Their notifications
    /// count as new if they come back.
    private mutating func forgetOldGroups() {
        let groups = highest.sorted { $0.value > $1.value }.prefix(ShownHistory.groupLimit / 2)
        highest = Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.value) })
        chats = chats.filter { highest[$0.key] != nil }
        totals = totals.filter { highest[$0.key] != nil }
    }
}
