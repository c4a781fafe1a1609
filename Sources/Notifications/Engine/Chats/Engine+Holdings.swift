package import Base

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
