import Testing

@testable import Notifications

/// A second implementation of what a start must restore: each chat's notifications in one of two
/// groups, by the current settings.
struct StartJudgement {
    private struct Place: Hashable {
        let chatID: ChatID
        let isMention: Bool
    }

    private let account: Account
    private var kept: [Place: [Int32]] = [:]

    init(_ account: Account) {
        self.account = account
        guard account.policy == .learn || account.groupCountMax > 0 else { return }
        for group in account.groups.all {
            for notification in group.sleeping + group.notifications {
                guard case .newPushMessage(let message) = notification.content,
                    let chat = account.chats[group.chatID], isWanted(message, chat)
                else { continue }
                let isMention = isMention(message, chat)
                let writer: ChatID =
                    if case .user(let id) = message.sender { .user(id) } else { group.chatID }
                guard muteEnd(isMention ? writer : group.chatID) <= notification.date else {
                    continue
                }
                kept[Place(chatID: group.chatID, isMention: isMention), default: []]
                    .append(notification.id)
            }
        }
    }

    private func isWanted(_ message: PushMessage, _ chat: Chat) -> Bool {
        let isRead = account.policy == .strict && message.id <= chat.lastRead
        let isIgnored =
            message.isScheduled && account.boolean(OptionName.ignoresSentScheduled)
        return !isRead && !isIgnored
    }

    private func isMention(_ message: PushMessage, _ chat: Chat) -> Bool {
        let scope = account.scopes[chat.scope.rawValue]
        if chat.isPrivate { return false }
        if message.isPin { return !(chat.settings?.disablesPinned ?? scope.disablesPinned) }
        return message.isMention
            && !(chat.settings?.disablesMentions ?? scope.disablesMentions)
    }

    private func muteEnd(_ chatID: ChatID) -> Int64 {
        account.chats[chatID]?.settings?.muteUntil ?? 0
    }

    /// Plays the start.
    func check(_ story: inout Story) throws {
        story.pass(61)
        let judgement = StartJudgement(story.engine.account)
        let before = story.engine.activeGroups.map { ($0.id, $0.notifications) }
        let isSame = judgement.kept == Self.kept(story.engine.account)
        try story.restart()
        let after = Self.kept(story.engine.account)
        for (place, ids) in judgement.kept {
            // The oldest of very many may be forgotten.
            let left = after[place] ?? []
            #expect(left == ids.sorted().suffix(left.count) && left.count >= min(ids.count, 5))
        }
        #expect(after.keys.allSatisfy { judgement.kept[$0] != nil })
        guard isSame, story.engine.account.policy == .learn else { return }
        let now = story.engine.activeGroups.map { ($0.id, $0.notifications) }
        #expect(before.map(\.0) == now.map(\.0) && before.map(\.1) == now.map(\.1))
    }

    private static func kept(_ account: Account) -> [Place: [Int32]] {
        var kept: [Place: [Int32]] = [:]
        for group in account.groups.all where !group.notifications.isEmpty {
            kept[Place(chatID: group.chatID, isMention: group.kind == .mentions)] =
                group.notifications.map(\.id)
        }
        return kept
    }
}
