import Base
import TestSupport
import Testing

@testable import Notifications

/// Notifications are identified by the numbers of group and notification.
@Suite("Numbers of notifications")
struct IdentifierTests {
    private struct Pair: Hashable {
        let group: Int32
        let notification: Int32
    }

    /// The owners of all live notifications, shown or not.
    private func owners(_ engine: Engine) -> [Pair: ChatID] {
        var owners: [Pair: ChatID] = [:]
        for group in engine.account.groups.all {
            let all = group.notifications + group.pending.map(\.notification) + group.sleeping
            for notification in all {
                let pair = Pair(group: group.id, notification: notification.id)
                #expect(owners[pair] == nil, "two that live share \(pair)")
                owners[pair] = group.chatID
            }
        }
        return owners
    }

    /// A screen that remembers what it showed, over restarts.
    private func follow(_ updates: [Update], _ screen: inout [Pair: ChatID]) {
        for update in updates {
            switch update {
            case .group(let update):
                for id in update.removed {
                    screen[Pair(group: update.groupID, notification: id)] = nil
                }
                for notification in update.added {
                    show(update.groupID, notification.id, update.chatID, on: &screen)
                }
            case .activeNotifications(let groups):
                let pairs = groups.flatMap { group in
                    group.notifications.map { Pair(group: group.id, notification: $0.id) }
                }
                screen = screen.filter { pairs.contains($0.key) }
                for group in groups {
                    for notification in group.notifications {
                        show(group.id, notification.id, group.chatID, on: &screen)
                    }
                }
            default: break
            }
        }
    }

    private func show(
        _ group: Int32, _ notification: Int32, _ chat: ChatID, on screen: inout [Pair: ChatID]
    ) {
        let pair = Pair(group: group, notification: notification)
        #expect(screen[pair] == nil || screen[pair] == chat, "\(pair) was another chat's")
        screen[pair] = chat
    }

    @Test(
        "No two live notifications share group and number, so no screen confuses chats",
        arguments: [ChatPolicy.strict, .learn])
    func pairs(policy: ChatPolicy) throws {
        for seed in 0..<80 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var story = Story(
                policy, count: .random(in: 1...6, using: &random),
                size: .random(in: 1...6, using: &random))
            var screen: [Pair: ChatID] = [:]
            var id = 10
            for _ in 0..<60 {
                let before = owners(story.engine)
                story.updates = []
                try act(&story, &id, using: &random)
                let after = owners(story.engine)
                for (pair, chat) in after where before[pair] != nil {
                    #expect(before[pair] == chat)
                }
                follow(story.updates, &screen)
            }
        }
    }

    private func act(
        _ story: inout Story, _ id: inout Int, using random: inout SeededGenerator
    ) throws {
        let user = Int.random(in: 1...4, using: &random)
        id += 1
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: story.text("m\(id)", from: user, id: id, date: id % 60)
        case 4: story.say(from: user, id: id, date: id % 60, more: #","mention":"1""#)
        case 5: try story.set("drop_notification_ids", "1")
        case 6, 7: try story.restart()
        case 8:
            let state = Bool.random(using: &random) ? "pending" : "discarded"
            try story.request(
                #"{"@type":"bellwire.setCall","call_id":\#(user),"chat_id":\#(user),"state":"\#(state)"}"#
            )
        case 9:
            let type = Bool.random(using: &random) ? "addSecretChat" : "removeSecretChat"
            try story.request(
                #"{"@type":"bellwire.\#(type)","chat_id":\#(-2_000_000_000_000 + user),"title":"S"}"#
            )
        case 10:
            let group = story.engine.account.groups.all.randomElement(using: &random)
            guard let group, let last = group.notifications.last else { return }
            try story.removeGroup(Int(group.id), upTo: Int(last.id))
        default:
            try story.set(
                "notification_group_count_max", "\(Int.random(in: 0...4, using: &random))")
        }
    }
}
