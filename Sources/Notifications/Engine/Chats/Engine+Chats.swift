import Base

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
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("@type", "bellwire.chats")
            writer.member("total_count", rows.count)
            writer.name("chats")
            writer.array { writer in for row in shown { write(row, to: &writer) } }
            writeSource(to: &writer)
        }
        return writer.text
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

    private func write(_ row: Row, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("chat_id", Int(row.id.rawValue))
            writer.member("title", row.chat.title)
            let type =
                switch row.chat.kind {
                case .privateChat: "private"
                case .basicGroup, .supergroup: "group"
                case .channel: "channel"
                case .secret: "secret"
                }
            writer.member("type", type)
            writer.member("mute_for", muteTime(until: row.muteEnd, now: now))
            writer.member("use_default_mute_for", row.chat.settings?.muteUntil == nil)
            writer.member("notifications", row.count)
            if row.date > 0 { writer.member("last_date", Int(row.date)) }
        }
    }

    private func writeSource(to writer: inout JSONWriter) {
        let rest = account.source.quietUntil - now
        writer.name("source")
        writer.object { writer in
            writer.member("paused", rest > 0)
            if rest > 0, account.source.quietUntil < .greatestFiniteMagnitude {
                writer.member("paused_for", Int(Int64(time: rest.rounded(.up))))
            }
            writer.member("notify_mode", "\(account.source.notifyMode)")
        }
        writer.name("scopes")
        writer.object { writer in
            for (name, scope) in zip(["private", "group", "channel"], account.scopes) {
                writer.name(text: name)
                writer.number(muteTime(until: scope.muteUntil, now: now))
            }
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
