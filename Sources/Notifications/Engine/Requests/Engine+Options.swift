import Base

/// Options; some of them change what is shown.
extension Engine {
    mutating func setOption(_ name: String, to value: OptionValue) -> Outcome {
        if let range = OptionName.range(of: name) {
            switch value {
            case .empty: break
            case .integer(let number):
                guard range.contains(number) else {
                    let limits = "[\(range.lowerBound), \(range.upperBound)]"
                    return .badRequest(
                        "Option's \"\(name)\" value \(number) is outside of the valid range "
                            + limits)
                }
            default: return .badRequest("Option \"\(name)\" must have integer value")
            }
        }
        if OptionName.booleans.contains(name), value != .empty {
            guard case .boolean = value else {
                return .badRequest("Option \"\(name)\" must have boolean value")
            }
        }
        if name == OptionName.dropsIDs { return dropIDs(value) }
        if name == OptionName.online { return setPresence(value) }
        let (oldCount, oldSize) = (account.groupCountMax, account.groupSizeMax)
        account.options[name] = value == .empty ? nil : value
        let hasNewCount = account.groupCountMax != oldCount
        let hasNewSize = account.groupSizeMax != oldSize
        if isStarted, hasNewCount || hasNewSize { flushEverything() }
        sizeLimit = account.groupSizeMax
        if isStarted, hasNewCount { groupCountChanged(from: oldCount) }
        if isStarted, hasNewSize { groupSizeChanged(from: oldSize) }
        updates.append(.option(name: name, value))
        return .ok
    }

    /// In TDLib the next start counts from 1 again, unless another identifier is given out before
    /// that. Unless the policy is strict, this engine never uses an identifier twice.
    private mutating func dropIDs(_ value: OptionValue) -> Outcome {
        if account.policy == .strict {
            account.forgetsNotificationID = true
            account.forgetsGroupID = true
        }
        updates.append(.option(name: OptionName.dropsIDs, value))
        return .ok
    }

    /// TDLib stores it nowhere; without a value the client counts as online.
    private mutating func setPresence(_ value: OptionValue) -> Outcome {
        setOnline(isOnline: value != .boolean(false), othersOnlineSince: nil)
        updates.append(.option(name: OptionName.online, .boolean(presence.isOnline)))
        return .ok
    }

    /// The value that a client asks for. TDLib sends no update for an option that was never set.
    func clientOption(_ request: JSONNode) -> OptionValue {
        let name = request["name"]?.text ?? ""
        switch name {
        case "version": return .string(OptionName.version)
        case OptionName.online: return .boolean(presence.isOnline)
        case "my_id": return account.userID == 0 ? .empty : .integer(account.userID)
        case "unix_time": return .integer(Int64(time: now))
        default: return account.policy == .strict ? account.options[name] ?? .empty : option(name)
        }
    }

    func option(_ name: String) -> OptionValue {
        if let value = account.options[name] { return value }
        switch name {
        case OptionName.groupCountMax: return .integer(0)
        case OptionName.groupSizeMax: return .integer(10)
        case OptionName.onlineCloudTimeout: return .integer(300_000)
        case OptionName.cloudDelay: return .integer(30_000)
        case OptionName.defaultDelay: return .integer(1_500)
        default: return .empty
        }
    }

    private mutating func groupCountChanged(from oldCount: Int) {
        let limit = account.groupCountMax
        let old = order
        if limit > oldCount {
            order = GroupOrder(limit: limit)
            for group in account.groups.all { _ = order.place(group.key) }
            for key in order.visible where !old.isVisible(key.id) {
                if let group = account.groups[key.id] { enqueueAppearance(of: group) }
            }
        } else {
            for key in old.visible.dropFirst(limit) { enqueueDisappearance(of: key.id) }
        }
        flushAll()
        guard limit < oldCount else { return }
        if limit == 0 { putToSleep() }
        order = GroupOrder(limit: limit)
        for group in account.groups.all { _ = order.place(group.key) }
    }

    /// Notifications are switched off; the existing ones return at the next start.
    private mutating func putToSleep() {
        for id in account.groups.ids {
            guard var group = account.groups[id] else { continue }
            group.sleeping += group.notifications
            group.notifications = []
            group.totalCount = 0
            group.date = 0
            account.groups[id] = group
        }
    }

    private mutating func groupSizeChanged(from oldSize: Int) {
        let size = account.groupSizeMax
        for group in order.visible.compactMap({ account.groups[$0.id] }) {
            let (old, new) = (group.shown(limit: oldSize), group.shown(limit: size))
            let firstOld = old.first?.id ?? 0
            let firstNew = new.first?.id ?? 0
            let added = new.filter { $0.id < firstOld }
            let removed = old.map(\.id).filter { $0 < firstNew }
            guard !added.isEmpty || !removed.isEmpty else { continue }
            updates.append(
                .group(
                    GroupUpdate(
                        groupID: group.id, kind: group.kind, chatID: group.chatID,
                        settingsChatID: group.chatID, soundID: 0, totalCount: group.totalCount,
                        added: added, removed: removed,
                        chatTitle: title(of: group.chatID, for: added[...]))))
        }
    }
}
