import Base
import Foundation
import TestSupport
import Testing

@testable import Notifications

/// Whatever happens, the client's screen is the engine's.
@Suite("Random stories")
struct RandomStoryTests {
    /// Many more in the gates than while one works.
    private static let count =
        ProcessInfo.processInfo.environment["BELLWIRE_STORIES"].flatMap { Int($0) } ?? 300

    @Test("The screen follows the engine through pushes, removals, options, clocks and restarts")
    func stories() throws {
        for seed in 0..<UInt64(Self.count) {
            var generator = SeededGenerator(seed: seed)
            try play(using: &generator, "\(seed)")
        }
    }

    private func play(using generator: inout SeededGenerator, _ name: String) throws {
        var story = Story(
            Bool.random(using: &generator) ? .learn : .strict,
            count: Int64.random(in: 1...4, using: &generator),
            size: Int64.random(in: 1...4, using: &generator))
        var messageID = 10
        for step in 0..<60 {
            story.client.countLimit = 25
            story.client.sizeLimit = 25
            let before = story.engine.account.lastNotificationID
            try act(&story, &messageID, using: &generator)
            #expect(story.engine.account.lastNotificationID >= before)
            if Int.random(in: 0..<4, using: &generator) == 0 { story.pass(61) }
            let isQuiet = story.engine.queue.isEmpty
            guard isQuiet else { continue }
            #expect(story.client.visible == Client.visible(story.engine), "\(name), step \(step)")
            let visible = story.engine.activeGroups
            #expect(visible.count <= story.engine.account.groupCountMax)
            #expect(
                visible.allSatisfy {
                    $0.notifications.count <= story.engine.account.groupSizeMax
                        && $0.notifications.map(\.id) == $0.notifications.map(\.id).sorted()
                })
        }
    }

    private func act(
        _ story: inout Story, _ messageID: inout Int, using generator: inout SeededGenerator
    ) throws {
        let user = Int.random(in: 1...4, using: &generator)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...4:
            messageID += Int.random(in: 0...2, using: &generator)
            story.text(
                "m\(messageID)", from: user, id: messageID,
                date: Int.random(in: 0...60, using: &generator))
        case 5:
            messageID += 1
            pin(&story, messageID, user, isPin: Bool.random(using: &generator))
        case 6: try removeShown(&story, isWhole: false, using: &generator)
        case 7: try removeShown(&story, isWhole: true, using: &generator)
        case 8: deleteShown(&story, using: &generator)
        case 9:
            story.push(
                #"{"loc_key":"READ_HISTORY","custom":{"from_id":"\#(user)","max_id":"\#(messageID)"}}"#
            )
        case 10:
            story.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","edited"],"custom":{"from_id":"\#(user)","msg_id":"\#(messageID)","edit_date":1}}"#
            )
        case 11:
            try story.request(
                #"{"@type":"setOption","name":"notification_group_size_max","value":{"@type":"optionValueInteger","value":\#(Int.random(in: 1...5, using: &generator))}}"#
            )
        case 12:
            try story.request(
                #"{"@type":"setOption","name":"notification_group_count_max","value":{"@type":"optionValueInteger","value":\#(Int.random(in: 0...4, using: &generator))}}"#
            )
        case 13:
            story.push(
                #"{"loc_key":"READ_HISTORY","custom":{"channel_id":"88","max_id":"\#(messageID)"}}"#
            )
        case 14: try chooseAction(&story, using: &generator)
        default: try restartChangesNothing(&story)
        }
    }

    private func pin(_ story: inout Story, _ id: Int, _ user: Int, isPin: Bool) {
        let key = isPin ? "PINNED_TEXT" : "CHAT_MESSAGE_TEXT"
        let arguments = isPin ? #""U","p","Super88""# : #""U","Super88","mention""#
        story.push(
            #"{"loc_key":"\#(key)","loc_args":[\#(arguments)],"custom":{"channel_id":"88","chat_from_id":"\#(user)","msg_id":"\#(id)","mention":"1"}}"#
        )
    }

    private func removeShown(
        _ story: inout Story, isWhole: Bool, using generator: inout SeededGenerator
    ) throws {
        guard let group = story.engine.activeGroups.randomElement(using: &generator),
            let chosen = group.notifications.randomElement(using: &generator)
        else { return }
        if isWhole {
            try story.request(
                #"{"@type":"removeNotificationGroup","notification_group_id":\#(group.id),"max_notification_id":\#(chosen.id)}"#
            )
            let all = story.engine.account.groups[group.id]?.notifications ?? []
            #expect(all.allSatisfy { $0.id > chosen.id })
            story.client.gone.formUnion(
                group.notifications.map(\.id).filter { $0 <= chosen.id })
        } else {
            try story.request(
                #"{"@type":"removeNotification","notification_group_id":\#(group.id),"notification_id":\#(chosen.id)}"#
            )
            story.client.gone.insert(chosen.id)
        }
    }

    private func chooseAction(
        _ story: inout Story, using generator: inout SeededGenerator
    ) throws {
        guard let group = story.engine.activeGroups.randomElement(using: &generator),
            let chosen = group.notifications.randomElement(using: &generator)
        else { return }
        let action = ["default", "mark_read"].randomElement(using: &generator) ?? ""
        try story.request(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(group.id),"notification_id":\#(chosen.id),"action":"\#(action)"}"#
        )
        story.client.gone.insert(chosen.id)
    }

    private func deleteShown(_ story: inout Story, using generator: inout SeededGenerator) {
        guard
            let group = story.engine.activeGroups.filter({ $0.chatID.kind == .user })
                .randomElement(using: &generator),
            let chosen = group.notifications.randomElement(using: &generator)
        else { return }
        story.push(
            #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":"\#(group.chatID.rawValue)","messages":"\#(chosen.messageID.rawValue >> 20)"}}"#
        )
        story.client.gone.insert(chosen.id)
    }

    /// Ids, contents and order survive; counts may be counted anew.
    private func restartChangesNothing(_ story: inout Story) throws {
        story.pass(61)
        let isAsleep = story.engine.account.groups.all.contains { !$0.sleeping.isEmpty }
        let before = story.engine.activeGroups.map { ($0.id, $0.notifications) }
        try story.restart()
        let after = story.engine.activeGroups.map { ($0.id, $0.notifications) }
        guard !isAsleep, story.engine.account.policy == .learn else { return }
        #expect(before.map(\.0) == after.map(\.0) && before.map(\.1) == after.map(\.1))
    }
}
