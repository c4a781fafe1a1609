import Base
import TestSupport
import Testing
@testable import Notifications

/// A random story.
struct RandomStory {
    var story: Story
    private var random: SeededGenerator
    private let profile: StoryProfile
    private var messageID = 10
    /// TDLib reuses the numbers of removed notifications, on request.
    private var mayRepeat = false
    private static let group = -1_000_000_000_088

    init(_ profile: StoryProfile, seed: UInt64) {
        self.profile = profile
        random = SeededGenerator(seed: seed)
        story = Story(
            Bool.random(using: &random) ? .learn : .strict,
            count: Int64.random(in: 1...4, using: &random),
            size: Int64.random(in: 1...4, using: &random))
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        .random(in: range, using: &random)
    }

    private mutating func either() -> Bool { .random(using: &random) }

    /// Returns what it did.
    @discardableResult
    mutating func goOn() throws -> StoryProfile.Action {
        let action = profile.actions.randomElement(using: &random) ?? .text
        let user = number(1...4)
        messageID += number(0...2)
        switch action {
        case .text, .dated, .mention, .pin, .edit, .content, .scheduled: tell(action, user)
        case .dismiss, .dismissGroup: try dismiss(isWhole: action == .dismissGroup)
        case .delete: delete()
        case .deleteAhead: delete("\(messageID + 1)", in: #""from_id":\#(user)"#)
        case .read: read(#""from_id":\#(user)"#)
        case .readGroup: read(#""channel_id":88"#)
        case .view:
            try story.request(
                #"{"@type":"viewMessages","chat_id":\#(user),"message_ids":[\#(messageID << 20)],"force_read":true}"#
            )
        case .choose: try choose()
        case .odd: try odd(user)
        case .restart: try StartJudgement(story.engine.account).check(&story)
        default: try set(action, user)
        }
        if mayRepeat { story.client.gone = [] }
        return action
    }

    private mutating func tell(_ action: StoryProfile.Action, _ user: Int) {
        switch action {
        case .dated:
            story.text(
                "m\(messageID)", from: user, id: messageID,
                date: either() ? number(0...60) : number(-3_000_000...70))
        case .mention:
            story.say(
                from: user, id: messageID, date: number(0...60),
                more: either() ? #","mention":"1""# : "")
        case .pin: story.say("PINNED_TEXT", ["U", "p", "Super88"], from: user, id: messageID)
        case .edit: say("MESSAGE_TEXT", #""U","edited""#, user, #","edit_date":1"#)
        case .scheduled: say("MESSAGE_TEXT", #""U","s""#, user, #","schedule":1"#)
        case .content:
            let key = Self.keys.randomElement(using: &random) ?? ""
            say(key, #""U","7""#, user, either() ? "" : #","silent":1"#)
        default:
            story.text("m\(messageID)", from: user, id: messageID, date: number(0...60))
        }
    }

    private mutating func say(_ key: String, _ arguments: String, _ user: Int, _ more: String) {
        story.push(
            #"{"loc_key":"\#(key)","loc_args":[\#(arguments)],"custom":{"from_id":\#(user),"msg_id":\#(messageID)\#(more)}}"#
        )
    }

    private static let keys = [
        "MESSAGE_PHOTO", "MESSAGE_STICKER", "MESSAGE_PHOTOS", "MESSAGE_STARGIFT", "MESSAGE_TODO",
        "MESSAGE_GIFTCODE", "MESSAGE_PAID_MEDIA", "MESSAGE_POLL", "MESSAGE_GIF", "CONTACT_JOINED",
    ]

    private mutating func set(_ action: StoryProfile.Action, _ user: Int) throws {
        let isOn = either()
        switch action {
        case .size: try story.set("notification_group_size_max", "\(number(1...5))")
        case .count: try story.set("notification_group_count_max", "\(number(0...4))")
        case .dropIDs:
            try story.set("drop_notification_ids", "1")
            mayRepeat = story.engine.account.policy == .strict
        case .mute: try story.settings(of: user, #""mute_for":\#(isOn ? 1_000_000 : 0)"#)
        case .mentions:
            try story.settings(of: Self.group, #""disable_mention_notifications":\#(isOn)"#)
        case .pins:
            try story.settings(of: Self.group, #""disable_pinned_message_notifications":\#(isOn)"#)
        case .scope:
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopeGroupChats"},"notification_settings":{"show_preview":true,"disable_mention_notifications":\#(isOn)}}"#
            )
        default: story.pass(61)
        }
    }

    private mutating func odd(_ user: Int) throws {
        let values = [
            "9223372036854775807", "-9223372036854775808", "4294967296", "-1", "0", #""007""#,
            "1.5",
            #""\ud800""#, "null", "true", "[]", "{}", #""T+1""#,
        ]
        let value = values.randomElement(using: &random) ?? ""
        let member =
            ["msg_id", "from_id", "channel_id", "edit_date", "ringtone", "random_id", "max_id"]
            .randomElement(using: &random) ?? ""
        if either() {
            story.push(
                #"{"date":\#(value),"data":{"loc_key":"MESSAGE_TEXT","loc_args":["U","x"],"custom":{"from_id":\#(user),"msg_id":\#(messageID),"\#(member)":\#(value)}}}"#
            )
        } else {
            let type =
                ["removeNotification", "removeNotificationGroup", "viewMessages", "openChat"]
                .randomElement(using: &random) ?? ""
            try story.request(
                #"{"@type":"\#(type)","notification_group_id":\#(value),"notification_id":\#(value),"max_notification_id":\#(value),"chat_id":\#(value),"message_ids":\#(value)}"#
            )
        }
    }

    private mutating func read(_ chat: String) {
        story.push(#"{"loc_key":"READ_HISTORY","custom":{\#(chat),"max_id":"\#(messageID)"}}"#)
    }

    private mutating func shown() -> (group: Update.ActiveGroup, Notification)? {
        guard let group = story.engine.activeGroups.randomElement(using: &random),
            let chosen = group.notifications.randomElement(using: &random)
        else { return nil }
        return (group, chosen)
    }

    private mutating func dismiss(isWhole: Bool) throws {
        guard let (group, chosen) = shown() else { return }
        guard isWhole else {
            try story.remove(Int(chosen.id), group: Int(group.id))
            story.client.gone.insert([group.id, chosen.id])
            return
        }
        let last = min(chosen.id, story.engine.account.lastNotificationID)
        try story.removeGroup(Int(group.id), upTo: Int(chosen.id))
        let all = story.engine.account.groups[group.id]?.notifications ?? []
        #expect(all.allSatisfy { $0.id > last })
        story.client.gone.formUnion(
            group.notifications.filter { $0.id <= last }.map { [group.id, $0.id] })
    }

    private mutating func choose() throws {
        guard let (group, chosen) = shown() else { return }
        let action = either() ? "default" : "mark_read"
        try story.request(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(group.id),"notification_id":\#(chosen.id),"action":"\#(action)"}"#
        )
        story.client.gone.insert([group.id, chosen.id])
    }

    private mutating func delete() {
        guard let (group, chosen) = shown() else { return }
        let chat =
            group.chatID.kind == .user
            ? #""from_id":\#(group.chatID.rawValue)"# : #""channel_id":88"#
        delete("\(chosen.messageID.rawValue >> 20)", in: chat)
        story.client.gone.insert([group.id, chosen.id])
    }

    private mutating func delete(_ id: String, in chat: String) {
        story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{\#(chat),"messages":"\#(id)"}}"#)
    }
}
