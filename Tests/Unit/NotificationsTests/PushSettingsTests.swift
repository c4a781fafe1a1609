import Testing

@testable import Notifications

@Suite("Settings of chats and kinds of chats, and what they do to pushes")
struct PushSettingsTests {
    private static let neutral = """
        "use_default_mute_for":true,"use_default_sound":true,"use_default_show_preview":true,\
        "use_default_mute_stories":true,"use_default_story_sound":true,\
        "use_default_show_story_poster":true
        """

    private func set(_ story: inout Story, chat: Int = 1, _ name: String, _ value: String) throws {
        let settings = Self.neutral.replacing("\"use_default_\(name)\":true", with: value)
        let outcome = try story.request(
            #"{"@type":"setChatNotificationSettings","chat_id":\#(chat),"notification_settings":{\#(settings)}}"#
        )
        #expect(outcome == .ok)
    }

    private func set(_ story: inout Story, scope: String, _ value: String) throws {
        let outcome = try story.request(
            #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScope\#(scope)"},"notification_settings":{\#(value),"sound_id":"-1","show_preview":true,"use_default_mute_stories":true,"story_sound_id":"-1","show_story_poster":true}}"#
        )
        #expect(outcome == .ok)
    }

    private static let story =
        #"{"loc_key":"STORY_NOTEXT","loc_args":["User1"],"custom":{"from_id":"1","msg_id":"5"}}"#

    private func presentation(_ story: Story) -> Presentation? {
        guard
            case .newPushMessage(let message) = story.engine.activeGroups.first?.notifications
                .last?.content
        else { return nil }
        return message.presentation
    }

    @Test("A chat's own sound, or that of its kind, is the sound of its pushes")
    func soundID() throws {
        var story = Story()
        try set(&story, scope: "PrivateChats", #""sound_id":"7""#)
        story.text("a", id: 11)
        try set(&story, "sound", #""sound_id":"8""#)
        story.text("b", id: 12)
        story.push(
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","c"],"custom":{"from_id":"1","msg_id":"13","silent":"1"}}"#
        )
        try set(&story, "sound", #""sound_id":"0""#)
        story.text("d", id: 14)
        story.text("e", from: 2, id: 11)
        #expect(story.takeGroups().map(\.soundID) == [7, 8, 0, 0, 7])
    }

    @Test("Without a chosen sound the payload's is used, or the application's")
    func ringtone() {
        var story = Story()
        story.push(
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","c"],"custom":{"from_id":"1","msg_id":"13","ringtone":"9"}}"#
        )
        story.text("d", id: 14)
        #expect(story.takeGroups().map(\.soundID) == [9, -1])
    }

    @Test("The policy strict leaves sounds of pushes to the server")
    func strict() throws {
        var story = Story(.strict)
        try set(&story, "sound", #""sound_id":"8""#)
        story.text("a", id: 11)
        #expect(story.takeGroups().map(\.soundID) == [-1])
    }

    @Test("mute_stories mutes stories and no messages, of a chat or of its kind")
    func muteStories() throws {
        var story = Story()
        try set(&story, "mute_stories", #""mute_stories":true"#)
        story.push(Self.story)
        #expect(story.shown.isEmpty)
        story.text("message", id: 11)
        #expect(story.shown == [["message"]])
        story = Story()
        try set(&story, scope: "PrivateChats", #""mute_stories":true"#)
        story.push(Self.story)
        #expect(story.shown.count == 1, "the default is still wanted")
        story = Story()
        try set(
            &story, scope: "PrivateChats",
            #""use_default_mute_stories":false,"mute_stories":true"#
        )
        story.push(Self.story)
        #expect(story.shown.isEmpty)
    }

    @Test("A muted chat is silent about stories, too, unless stories are switched on")
    func mutedChat() throws {
        var story = Story()
        try set(&story, "mute_for", #""mute_for":3600"#)
        story.push(Self.story)
        #expect(story.shown.isEmpty)
        let both = Self.neutral
            .replacing(#""use_default_mute_for":true"#, with: #""mute_for":3600"#)
            .replacing(#""use_default_mute_stories":true"#, with: #""mute_stories":false"#)
        try story.request(
            #"{"@type":"setChatNotificationSettings","chat_id":1,"notification_settings":{\#(both)}}"#
        )
        story.push(Self.story)
        #expect(story.shown.count == 1)
    }

    @Test("Stories have their own sound")
    func storySound() throws {
        var story = Story()
        try set(&story, "story_sound", #""story_sound_id":"6""#)
        story.push(Self.story)
        story.text("a", id: 11)
        #expect(story.takeGroups().map(\.soundID) == [6, -1])
    }

    @Test("Without show_story_poster a story is shown without its author")
    func showStoryPoster() throws {
        var story = Story()
        story.push(Self.story)
        #expect(presentation(story)?.title == "User1")
        try set(&story, "show_story_poster", #""show_story_poster":false"#)
        story.push(Self.story)
        #expect(presentation(story)?.title == "A new story was posted")
        #expect(presentation(story)?.body == "" && presentation(story)?.data == "")
    }

    @Test("disable_contact_registered_notifications drops such pushes if they still arrive")
    func contactRegistered() throws {
        var story = Story()
        let joined = #"{"loc_key":"CONTACT_JOINED","loc_args":["A"],"custom":{"from_id":3}}"#
        func set(_ value: Bool) throws {
            try story.request(
                #"{"@type":"setOption","name":"disable_contact_registered_notifications","value":{"@type":"optionValueBoolean","value":\#(value)}}"#
            )
        }
        try set(true)
        story.push(joined)
        #expect(story.shown.isEmpty)
        try set(false)
        story.push(joined)
        #expect(story.shown.count == 1)
    }

    @Test("Posts of a channel follow the settings of channels")
    func channels() throws {
        var story = Story()
        func say(_ id: Int) {
            story.push(
                #"{"loc_key":"CHANNEL_MESSAGE_TEXT","loc_args":["News","n\#(id)"],"custom":{"channel_id":"99","msg_id":"\#(id)"}}"#
            )
        }
        try set(&story, scope: "GroupChats", #""mute_for":3600"#)
        say(5)
        #expect(story.shown == [["n5"]])
        try set(&story, scope: "ChannelChats", #""mute_for":3600"#)
        say(6)
        #expect(story.shown == [["n5"]])
    }

    @Test("A chat taken for a group follows the settings of channels once it posts as one")
    func becomesChannel() throws {
        var story = Story()
        let custom = #""custom":{"channel_id":"99","chat_from_id":"1","msg_id":"#
        story.push(#"{"loc_key":"CHAT_MESSAGE_TEXT","loc_args":["A","N","a"],\#(custom)"4"}}"#)
        #expect(story.engine.account.chats[.channel(99)]?.kind == .supergroup)
        try set(&story, scope: "ChannelChats", #""mute_for":3600"#)
        for id in 5...6 {
            story.push(
                #"{"loc_key":"CHANNEL_MESSAGE_TEXT","loc_args":["N","b"],\#(custom)"\#(id)"}}"#)
        }
        #expect(story.shown == [["a"]])
    }

    @Test("Settings of private chats neither mute a login nor hide its text")
    func login() throws {
        var story = Story()
        try set(
            &story, scope: "PrivateChats", #""mute_for":3600,"sound_id":"0","show_preview":false"#)
        story.push(#"{"loc_key":"AUTH_REGION","loc_args":["Phone","Berlin"]}"#)
        #expect(presentation(story)?.body.contains("Berlin") == true)
        #expect(presentation(story)?.isCritical == true)
        #expect(story.takeGroups().map(\.soundID) == [-1])
        try story.restart()
        #expect(presentation(story)?.isCritical == true, "nor does a start take it away")
    }
}
