package import Base

/// Requests for people whose account has no client of its own: list chats, and silence them.
extension Engine {
    private static let chatLimit = 200

    private struct Row {
        let id: ChatID
        let chat: Chat
        let count: Int
        let date: Int64
        let muteEnd: Int64
    }

    /// Lists chats with notifications first, then muted ones, then the rest by name.
    func chats(_ request: JSONNode) -> String {
        chats(limit: request["limit"]?.integer.map { Int(clamping: max($0, 0)) } ?? Self.chatLimit)
    }

    func chats(limit: Int) -> String {
        let rows = account.chats.compactMap { row($0.key, $0.value) }
        let shown = rows.sorted { left, right in
            if left.date != right.date { return left.date > right.date }
            let (isLeftMuted, isRightMuted) = (isMuted(left), isMuted(right))
            if isLeftMuted != isRightMuted { return isLeftMuted }
            return (left.chat.title, left.id) < (right.chat.title, right.id)
        }.prefix(limit)
        let rest = account.source.quietUntil - now
        let scopes = account.scopes.map { muteTime(until: $0.muteUntil, now: now) }
        let list = ChatList {
            $0.total = rows.count
            $0.chats = shown.map(listed)
            $0.isPaused = rest > 0
            if rest > 0, account.source.quietUntil < .greatestFiniteMagnitude {
                $0.pauseTime = Int(Int64(time: rest.rounded(.up)))
            }
            $0.notifyMode = "\(account.source.notifyMode)"
            // One for each kind, in this order.
            ($0.privateTime, $0.groupTime, $0.channelTime) = (scopes[0], scopes[1], scopes[2])
        }
        return String(decoding: list.json, as: UTF8.self)
    }

    private func row(_ id: ChatID, _ chat: Chat) -> Row? {
        var (count, date) = (0, 0 as Int64)
        for groupID in [chat.messageGroupID, chat.mentionGroupID] {
            guard let group = account.groups[groupID] else { continue }
            count += group.notifications.count
            date = max(date, group.date)
        }
        guard count > 0 || chat.settings != nil || !chat.title.isEmpty else { return nil }
        return Row(id: id, chat: chat, count: count, date: date, muteEnd: muteEnd(of: chat))
    }

    private func isMuted(_ row: Row) -> Bool { Double(row.muteEnd) > now }

    private func listed(_ row: Row) -> ChatList.Chat {
        ChatList.Chat {
            $0.id = Int(row.id.rawValue)
            $0.title = row.chat.title
            $0.kind =
                switch row.chat.kind {
                case .privateChat: "private"
                case .basicGroup, .supergroup: "group"
                case .channel: "channel"
                case .secret: "secret"
                }
            $0.muteTime = muteTime(until: row.muteEnd, now: now)
            $0.followsKind = row.chat.settings?.muteUntil == nil
            $0.notifications = row.count
            $0.date = row.date > 0 ? Int(row.date) : nil
        }
    }

    /// Without a time the chat follows the setting for chats of its kind.
    mutating func muteChat(_ request: JSONNode) -> Outcome {
        guard let id = request.chatID("chat_id"), let chat = account.chats[id] else {
            return .badRequest("Chat not found")
        }
        var settings = chat.settings ?? ChatNotificationSettings()
        settings.muteUntil = request["mute_for"]?.integer.map {
            Notifications.muteEnd($0, now: now)
        }
        setSettings(settings, of: id)
        return .ok
    }

    /// Silences the account for a while, whatever other clients of the account do.
    mutating func pause(_ request: JSONNode) -> Outcome {
        guard let isPaused = request["paused"]?.bool else {
            return .badRequest("Paused must be true or false")
        }
        guard isPaused else {
            account.source.quietUntil = 0
            return .ok
        }
        guard let time = request["paused_for"] else {
            account.source.quietUntil = .greatestFiniteMagnitude
            return .ok
        }
        guard let seconds = time.integer, seconds > 0 else {
            return .badRequest("Time of a pause must be positive")
        }
        let end = Notifications.muteEnd(seconds, now: now)
        account.source.quietUntil = end == muteForever ? .greatestFiniteMagnitude : Double(end)
        return .ok
    }
}

/// Secret chats: one notice says that the chat exists; its messages are never shown.
extension Engine {
    mutating func addSecretChat(_ chatID: ChatID, title: String, date: Int64) {
        var chat = account.chats[chatID] ?? Chat(chatID, title: title)
        chat.isClosed = false
        chat.isListed = true
        account.chats[chatID] = chat
        guard order.limit > 0, muteEnd(of: chatID) <= date else { return }
        let groupID = group(of: chatID, isMention: false)
        // The notice replaces what pushes have announced so far.
        removeTemporary(in: groupID)
        guard let group = account.groups[groupID], group.notifications.isEmpty,
            group.pending.isEmpty
        else { return }
        account.groups[groupID]?.kind = .secretChat
        account.groups[groupID]?.totalCount = 0
        let isAdded = add(
            .newSecretChat, to: groupID,
            Arrival(
                date: date, settingsChatID: chatID, soundID: soundID(of: chatID), isSilent: false,
                level: .mtproto, due: now + 0.001))
        if isAdded { flushPending(groupID, isForced: true) }
    }

    /// The first message ends the notice of the chat's creation, and so does opening or closing the
    /// chat.
    mutating func closeSecretChatNotice(_ chatID: ChatID) {
        guard let chat = account.chats[chatID], chat.kind == .secret,
            let group = account.groups[chat.messageGroupID], group.kind == .secretChat
        else { return }
        removeAll(in: group.id, isForced: true, totalCount: nil) { $0.content == .newSecretChat }
        account.groups[group.id]?.kind = .messages
    }

    mutating func removeSecretChat(_ chatID: ChatID) {
        closeSecretChatNotice(chatID)
        guard let chat = account.chats[chatID] else { return }
        removeAll(in: chat.messageGroupID, isForced: true, totalCount: { _ in 0 }) { _ in true }
        account.chats[chatID]?.isClosed = true
        // The last identifier can be used again, because nothing refers to it.
        guard chat.messageGroupID == account.lastGroupID, chat.messageGroupID != 0 else { return }
        account.groups[chat.messageGroupID] = nil
        account.chats[chatID]?.messageGroupID = 0
        account.lastGroupID -= 1
    }
}

/// The badge is part of the account, so it survives a restart.
extension Engine {
    /// Sets the number of unread messages. Zero clears what is shown.
    mutating func showBadge(unread: Int64?, missedCalls: Int64?, level: TrustLevel) {
        setBadge(Badge(unread: unread ?? 0, missedCalls: missedCalls))
        guard (unread ?? 0) == 0, (missedCalls ?? 0) == 0 else { return }
        for id in account.groups.ids where account.groups[id]?.notifications.isEmpty == false {
            removeAll(in: id, isForced: true, totalCount: \.notifications.count) {
                $0.level <= level
            }
        }
    }

    /// The badge for a client that joins; empty until a badge was set.
    var badgeUpdates: [Update] {
        guard let badge = account.badge else { return [] }
        return [.unreadBadge(count: badge.unread, missedCalls: badge.missedCalls)]
    }

    mutating func setBadge(_ badge: Badge) {
        isBadgeSet = true
        guard account.source.presentation.showsBadge else { return }
        account.badge = badge
        updates.append(.unreadBadge(count: badge.unread, missedCalls: badge.missedCalls))
    }

    /// Runs `body`, which removes notifications of a chat, and lowers the badge by as many if the
    /// payload did not set the badge itself.
    mutating func loweringBadge(of chatID: ChatID, _ body: (inout Engine) -> Void) {
        let before = notificationCount(of: chatID)
        body(&self)
        guard account.policy == .learn, !isBadgeSet, var badge = account.badge else { return }
        let gone = before - notificationCount(of: chatID)
        guard gone > 0, badge.unread > 0 else { return }
        badge.unread = max(badge.unread - Int64(gone), 0)
        account.badge = badge
        updates.append(.unreadBadge(count: badge.unread, missedCalls: badge.missedCalls))
    }

    private func notificationCount(of chatID: ChatID) -> Int {
        guard let chat = account.chats[chatID] else { return 0 }
        return [chat.messageGroupID, chat.mentionGroupID].reduce(0) {
            $0 + (account.groups[$1]?.notifications.count ?? 0)
        }
    }
}

/// What an engine keeps, for an export to its owner.
extension Engine {
    /// Writes it as members of an object, in the form in which clients get it. Notifications that
    /// are not visible are among them; secrets and tokens are not.
    package func writeHoldings(at now: Double, to writer: inout JSONWriter) {
        var engine = self
        engine.now = now
        if account.userID != 0 { writer.member("user_id", Int(account.userID)) }
        writer.name("updates")
        writer.array { writer in for update in engine.holdings { update.write(to: &writer) } }
        writer.member("chats", json: engine.chats(limit: .max))
        writer.name("conversations")
        writer.object { writer in
            for (name, chat) in account.conversations.sorted(by: { $0.key < $1.key }) {
                writer.name(text: name)
                writer.number(Int(chat.rawValue))
            }
        }
    }

    private var holdings: [Update] {
        let groups = account.groups.all.map { group in
            Update.ActiveGroup(
                id: group.id, kind: group.kind, chatID: group.chatID, totalCount: group.totalCount,
                notifications: group.notifications + group.sleeping
                    + group.pending.map(\.notification),
                chatTitle: account.chats[group.chatID]?.title ?? "")
        }
        let options = account.options.sorted { $0.key < $1.key }
        return [.activeNotifications(groups)] + badgeUpdates
            + options.map { Update.option(name: $0.key, $0.value) }
            + account.owed.items.map { item in
                switch item.content {
                case .action(let action): .notificationAction(action)
                case .notice(let update): update
                case .raw(let push): .rawPush(push)
                }
            }
    }
}
