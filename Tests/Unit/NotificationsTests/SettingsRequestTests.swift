import Base
import Testing

@testable import Notifications

@Suite("Settings and options, as the client reads and writes them")
struct SettingsRequestTests {
    private func members(_ outcome: Outcome?) throws -> JSONNode {
        guard case .object(let text) = outcome else { throw NoObject() }
        return try JSONDocument(Array(text.utf8)).root
    }

    private struct NoObject: Error {}

    @Test("A chat's settings are read back as written, with the scope's values where those apply")
    func chat() throws {
        var story = Story()
        try story.request(
            #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"},"notification_settings":{"mute_for":50,"sound_id":"8","show_preview":true,"disable_pinned_message_notifications":true}}"#
        )
        try story.request(
            #"{"@type":"setChatNotificationSettings","chat_id":1,"notification_settings":{"mute_for":100,"use_default_sound":true,"show_preview":false,"mute_stories":true,"story_sound_id":"9","show_story_poster":true,"use_default_disable_pinned_message_notifications":true,"disable_mention_notifications":true}}"#
        )
        story.pass(30)
        let read = try members(
            try story.request(#"{"@type":"getChatNotificationSettings","chat_id":1}"#))
        #expect(read["mute_for"]?.integer == 70 && read["use_default_mute_for"]?.bool == false)
        #expect(read["sound_id"]?.text == "8" && read["use_default_sound"]?.bool == true)
        #expect(read["show_preview"]?.bool == false && read["mute_stories"]?.bool == true)
        #expect(read["story_sound_id"]?.text == "9" && read["show_story_poster"]?.bool == true)
        #expect(read["disable_pinned_message_notifications"]?.bool == true)
        #expect(read["use_default_disable_pinned_message_notifications"]?.bool == true)
        #expect(read["disable_mention_notifications"]?.bool == true)
    }

    @Test("A chat without its own settings uses its scope's")
    func defaults() throws {
        var story = Story()
        let read = try members(
            try story.request(#"{"@type":"getChatNotificationSettings","chat_id":1}"#))
        let flags = read.members.filter { $0.name.hasPrefix("use_default_") }
        #expect(flags.count == 8 && flags.allSatisfy { $0.value.bool == true })
    }

    private func told(_ story: Story, _ type: String) -> [String] {
        story.updates.compactMap { update in
            guard case .changed(let json) = update, json.contains("\"\(type)\"") else { return nil }
            return json
        }
    }

    @Test("Other clients are told of settings that have changed, and only then")
    func told() throws {
        var story = Story()
        for _ in 0..<2 {
            try story.request(#"{"@type":"bellwire.muteChat","chat_id":1,"mute_for":9}"#)
        }
        let ofChat = told(story, "updateChatNotificationSettings")
        #expect(ofChat.count == 1 && ofChat[0].contains(#""chat_id":1,"#))
        #expect(ofChat.first?.contains(#""mute_for":9,"#) == true)
        for _ in 0..<2 {
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopeGroupChats"},"notification_settings":{"mute_for":0,"sound_id":7}}"#
            )
            try story.request(
                #"{"@type":"setReactionNotificationSettings","notification_settings":{"story_reaction_source":{"@type":"reactionNotificationSourceAll"},"sound_id":3}}"#
            )
        }
        let ofScope = told(story, "updateScopeNotificationSettings")
        #expect(ofScope.count == 1)
        #expect(ofScope.first?.contains(#""notificationSettingsScopeGroupChats""#) == true)
        #expect(
            told(story, "updateReactionNotificationSettings") == [
                #"{"@type":"updateReactionNotificationSettings","notification_settings":{"@type":"reactionNotificationSettings","message_reaction_source":{"@type":"reactionNotificationSourceNone"},"story_reaction_source":{"@type":"reactionNotificationSourceAll"},"poll_vote_source":{"@type":"reactionNotificationSourceNone"},"sound_id":"3","show_preview":false}}"#
            ])
        #expect(try Account(state: story.engine.account.state) == story.engine.account)
    }

    @Test("After a reset all chats have the default settings, and changes are told")
    func reset() throws {
        for policy in [ChatPolicy.strict, .learn] {
            var story = Story(policy)
            try story.settings(of: 1, #""mute_for":100"#)
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"},"notification_settings":{"mute_for":100}}"#
            )
            try story.request(
                #"{"@type":"setReactionNotificationSettings","notification_settings":{"sound_id":3}}"#
            )
            story.updates = []
            #expect(try story.request(#"{"@type":"resetAllNotificationSettings"}"#) == .ok)
            #expect(told(story, "updateChatNotificationSettings").count == 1)
            #expect(told(story, "updateScopeNotificationSettings").count == 1)
            #expect(told(story, "updateReactionNotificationSettings").isEmpty)
            story.text("hi", id: 11)
            #expect(story.shown == [["hi"]])
            #expect(story.engine.account.scopes.allSatisfy { $0 == ScopeNotificationSettings() })
        }
    }

    @Test("Each scope has its own settings", arguments: ["Private", "Group", "Channel"])
    func scope(name: String) throws {
        var story = Story()
        let scope = #""scope":{"@type":"notificationSettingsScope\#(name)Chats"}"#
        try story.request(
            #"{"@type":"setScopeNotificationSettings",\#(scope),"notification_settings":{"mute_for":2147483647,"sound_id":"3","use_default_mute_stories":true}}"#
        )
        for other in ["Private", "Group", "Channel"] {
            let scope = #""scope":{"@type":"notificationSettingsScope\#(other)Chats"}"#
            let read = try members(
                try story.request(#"{"@type":"getScopeNotificationSettings",\#(scope)}"#))
            let isIt = other == name
            #expect(read["sound_id"]?.text == (isIt ? "3" : "-1"))
            // A mute for ever is reported as its rest.
            let rest = Int64(Int32.max) - Int64(story.now)
            #expect(read["mute_for"]?.integer == (isIt ? rest : 0))
            #expect(read["show_preview"]?.bool == !isIt)
        }
    }

    @Test(
        "Requests without a valid chat or scope are refused with TDLib's error texts",
        arguments: [
            (
                #""setChatNotificationSettings","chat_id":5"#, "Wrong chat identifier specified"
            ),
            (
                #""setChatNotificationSettings","chat_id":1"#,
                "New notification settings must be non-empty"
            ),
            (#""getScopeNotificationSettings""#, "Scope must be non-empty"),
            (#""openChat","chat_id":5"#, "Chat not found"),
        ])
    func refused(members: String, message: String) throws {
        var story = Story()
        let outcome = try story.request("{\"@type\":\(members)}")
        #expect(outcome == .error(code: 400, message: message))
    }

    @Test(
        "An option is read back as written; unset ones have TDLib's defaults",
        arguments: [
            ("notification_group_size_max", "10"), ("online_cloud_timeout_ms", "300000"),
            ("notification_cloud_delay_ms", "30000"), ("notification_default_delay_ms", "1500"),
        ])
    func options(name: String, value: String) throws {
        var story = Story()
        let get = #"{"@type":"getOption","name":"\#(name)"}"#
        #expect(try members(try story.request(get))["value"]?.text == value)
        try story.set(name, "7")
        #expect(try members(try story.request(get))["value"]?.text == "7")
        #expect(story.updates.contains(.option(name: name, .integer(7))))
    }

    @Test(
        "Members of wrong types are refused with TDLib's error texts",
        arguments: [
            (
                #""removeNotification","notification_group_id":"x""#,
                #"Can't parse as an integer string "x""#
            ),
            (
                #""removeNotification","notification_group_id":2147483648"#,
                #"Can't parse as an integer string "2147483648""#
            ),
            (
                #""removeNotificationGroup","notification_group_id":[]"#,
                "Expected Number, but receive Array"
            ),
            (#""setOption","name":5"#, "Expected String, but receive Number"),
            (#""setOption","name":"x","value":5"#, "Expected Object, but receive Number"),
            (#""setOption","name":"x","value":{"@type":"foo"}"#, #"Unknown class "foo""#),
            (#""setScopeNotificationSettings","scope":{"@type":"foo"}"#, #"Unknown class "foo""#),
            (
                #""viewMessages","chat_id":1,"message_ids":[5,"x"]"#,
                #"Can't parse as an integer string "x""#
            ),
            (#""openChat","chat_id":[]"#, "Expected String or Number, but receive Array"),
            (
                #""setChatNotificationSettings","chat_id":1,"notification_settings":{"sound_id":true,"use_default_mute_for":[]}"#,
                "Expected Boolean, but receive Array"
            ),
            (#""setAlarm","seconds":"5""#, "Expected Number, but receive String"),
            (
                #""setReactionNotificationSettings","notification_settings":{"story_reaction_source":{"@type":"x"}}"#,
                #"Unknown class "x""#
            ),
            (
                #""testCallVectorIntObject","x":[{"value":1},{"value":"y"}]"#,
                #"Can't parse as an integer string "y""#
            ),
            (
                #""viewMessages","chat_id":1,"force_read":"yes""#,
                "Expected Boolean, but receive String"
            ),
            (
                #""setChatNotificationSettings","chat_id":1,"notification_settings":{"mute_for":"x"}"#,
                #"Can't parse as an integer string "x""#
            ),
        ])
    func wrongTypes(members: String, mistake: String) throws {
        var story = Story()
        let outcome = try story.request("{\"@type\":\(members)}")
        #expect(
            outcome == .badRequest("Failed to parse JSON object as TDLib request: \(mistake)"))
    }

    @Test("With TDLib only its own options and the client's can be set")
    func settable() throws {
        var strict = Story(.strict)
        let refusal = Outcome.badRequest("Option can't be set")
        for name in ["foo", "", "my_id", "online_cloud_timeout_ms"] {
            #expect(try strict.set(name, "1") == refusal)
        }
        #expect(try strict.set("x_own", "7") == .ok)
        #expect(
            try strict.request(#"{"@type":"getOption","name":"notification_default_delay_ms"}"#)
                == .object(#"{"@type":"optionValueEmpty"}"#))
        var learn = Story()
        #expect(try learn.set("online_cloud_timeout_ms", "1") == .ok)
    }

    @Test(
        "An unknown request is left to the host; one without a type is refused",
        arguments: [
            ("{}", #"Can't find field "@type""#),
            (#"{"@type":5}"#, "Unknown constructor 0x00000005"),
            (#"{"@type":"setOption","value":{"@type":-5.5}}"#, "Unknown constructor 0xfffffffb"),
            (#"{"@type":null}"#, "Expected String or Integer, but receive Null"),
            (#"{"@type":[]}"#, "Expected String or Integer, but receive Array"),
        ])
    func unknown(request: String, mistake: String) throws {
        var story = Story()
        #expect(try story.request(#"{"@type":"getMessage"}"#) == nil)
        #expect(try story.request(#"{"@type":"bellwire.nothing"}"#) == nil)
        #expect(try story.request(request) == .unreadable(mistake))
    }
}
