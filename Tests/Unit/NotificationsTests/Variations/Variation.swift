import Base
import Testing
@testable import Notifications

/// A short story for one rule of TDLib, under the policy strict.
struct Variation: Sendable, CustomTestStringConvertible {
    let rule: String
    let play: @Sendable (inout Story) throws -> Void

    init(_ rule: String, play: @escaping @Sendable (inout Story) throws -> Void) {
        self.rule = rule
        self.play = play
    }

    var testDescription: String { rule }

    func run() throws {
        var story = Story(.strict, count: 2, size: 2)
        story.engine.account.chats[.channel(99)] = Chat(.channel(99), title: "Chan99")
        story.engine.account.chats[.channel(99)]?.kind = .channel
        story.engine.account.chats[.basicGroup(77)] = Chat(.basicGroup(77), title: "Basic77")
        try play(&story)
        #expect(story.client.visible == Client.visible(story.engine), "the screen is the engine's")
    }
}

extension Story {
    /// The updates since the last call, one line each, without pending and options.
    mutating func sent() -> [String] {
        defer { updates = [] }
        return updates.compactMap { update in
            switch update {
            case .group(let update):
                let settings =
                    update.settingsChatID == update.chatID
                    ? "" : " by \(update.settingsChatID.rawValue)"
                return "\(update.groupID): +\(update.added.map(\.id)) -\(update.removed) "
                    + "sound \(update.soundID) of \(update.totalCount)\(settings)"
            case .notification(let groupID, let notification):
                return "\(groupID): edit \(notification.id)"
            case .activeNotifications(let groups):
                return "active "
                    + groups.map { "\($0.id): \($0.notifications.map(\.id)) of \($0.totalCount)" }
                    .joined(separator: ", ")
            default: return nil
            }
        }
    }

    /// A message of somebody in the supergroup 88, or in another chat.
    @discardableResult
    mutating func say(
        _ key: String = "CHAT_MESSAGE_TEXT", _ arguments: [String] = ["User1", "Super88", "hi"],
        from user: Int = 1, id: Int, date: Int = 1, chat: String = #""channel_id":"88""#,
        more: String = ""
    ) -> Outcome {
        let arguments = arguments.map { JSONText.quoted($0) }.joined(separator: ",")
        return push(
            #"{"date":\#(1_800_000_000 + date),"data":{"loc_key":"\#(key)","loc_args":[\#(arguments)],"#
                + #""custom":{\#(chat),"chat_from_id":"\#(user)","msg_id":"\#(id)"\#(more)}}}"#)
    }

    mutating func remove(_ id: Int, group: Int) throws {
        try request(
            #"{"@type":"removeNotification","notification_group_id":\#(group),"notification_id":\#(id)}"#
        )
    }

    mutating func removeGroup(_ group: Int, upTo id: Int) throws {
        try request(
            #"{"@type":"removeNotificationGroup","notification_group_id":\#(group),"max_notification_id":\#(id)}"#
        )
    }

    @discardableResult
    mutating func set(_ option: String, _ value: String) throws -> Outcome? {
        try request(
            #"{"@type":"setOption","name":"\#(option)","value":{"@type":"optionValueInteger","value":"\#(value)"}}"#
        )
    }

    /// The chat's own settings; the others are the scope's.
    mutating func settings(of chat: Int, _ members: String) throws {
        let defaults = [
            "mute_for", "sound", "show_preview", "disable_pinned_message_notifications",
            "disable_mention_notifications",
        ].filter { !members.contains("\"\($0)\"") }.map { #""use_default_\#($0)":true"# }
        try request(
            #"{"@type":"setChatNotificationSettings","chat_id":\#(chat),"notification_settings":{\#((defaults + [members]).joined(separator: ","))}}"#
        )
    }
}
