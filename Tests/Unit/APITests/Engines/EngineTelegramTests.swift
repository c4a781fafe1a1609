import Foundation
import Testing

@Suite("Telegram's pushes, from the endpoint to the client of the engine")
struct EngineTelegramTests {
    private let app: RegisteredApp
    private let viewer: EngineViewer

    init() throws {
        app = try RegisteredApp(try PushFixture())
        viewer = try EngineViewer(app)
    }

    private func push(_ payload: String) throws {
        #expect(try app.push(payload).status == 201)
    }

    @Test("A call carries its own id; content to be fetched follows as an edit")
    func call() throws {
        try push(
            #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["Ada"],"custom":{"from_id":"500","call_id":"8123456789012345678","call_ah":-7,"updates":{ "a" : 1 }}}"#
        )
        let group = try viewer.next("updateNotificationGroup")
        let added = group["added_notifications"] as? [[String: Any]]
        let type = added?.first?["type"] as? [String: Any]
        #expect(type?["@type"] as? String == "notificationTypeNewCall")
        #expect(type?["bellwire.call_id"] as? String == "8123456789012345678")
        let (groupID, id) = (group["notification_group_id"] ?? 0, added?.first?["id"] ?? 0)
        let fetch = try viewer.next("bellwire.updateFetchRequired")
        #expect(fetch["call_id"] as? String == "8123456789012345678")
        #expect(fetch["call_ah"] as? Int == -7)
        #expect(fetch["updates"] as? [String: Int] == ["a": 1])
        let heard = try viewer.ask(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(groupID),"notification_id":\#(id),"action":"accept"}"#
        ).before
        let action = heard.first { $0["@type"] as? String == "bellwire.updateNotificationAction" }
        #expect(action?["call_id"] as? String == "8123456789012345678")
    }

    @Test("Announcements without a number and messages of unknown kinds are shown by their words")
    func words() throws {
        try push(#"{"data":{"loc_key":"MESSAGE_ANNOUNCEMENT","announcement":"News"}}"#)
        try push(
            #"{"loc_key":"MESSAGE_HOLOGRAM","title":"Ada","description":"hello","custom":{"from_id":"500","msg_id":"5"}}"#
        )
        try viewer.settle()
        #expect(viewer.texts == ["notificationTypeNewMessage", "hello"])
    }

    @Test("Settings of a client apply to pushes of channels, not to logins")
    func settings() throws {
        for scope in ["PrivateChats", "ChannelChats"] {
            let answer = try viewer.ask(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScope\#(scope)"},"notification_settings":{"mute_for":3600,"sound_id":"-1"}}"#
            ).answer
            #expect(answer["@type"] as? String == "ok")
        }
        try push(RegisteredApp.message("muted", id: 5))
        try push(
            #"{"loc_key":"CHANNEL_MESSAGE_TEXT","loc_args":["News","muted"],"custom":{"channel_id":"99","msg_id":"5"}}"#
        )
        try push(#"{"loc_key":"AUTH_REGION","loc_args":["Phone","Berlin"]}"#)
        try viewer.settle()
        #expect(viewer.texts.count == 1 && viewer.texts.first?.contains("Berlin") == true)
    }

    @Test("The pinned message is found once a client has named it, and its change is told")
    func pinned() throws {
        let chat = -1_000_000_000_088
        let message =
            #""chat_id":\#(chat),"message":{"@type":"message","id":11534336,"#
            + #""chat_id":\#(chat),"date":1800000060,"content":{"@type":"messageText","text":"WORDS"}}}"#
        try push(
            #"{"loc_key":"PINNED_TEXT","loc_args":["A","Group","p"],"custom":{"channel_id":"88","chat_from_id":"1","msg_id":"12"}}"#
        )
        try viewer.next("updateNotificationGroup")
        let get =
            #"{"@type":"getMessageLocally","chat_id":\#(chat),"message_id":11534336}"#
        #expect(try viewer.ask(get).answer["@type"] as? String == "error")
        try viewer.ask(
            #"{"@type":"bellwire.setPinnedMessage","# + message.replacing("WORDS", with: "named"))
        try viewer.ask(
            #"{"@type":"bellwire.editMessage","# + message.replacing("WORDS", with: "changed"))
        try viewer.next("updateNotification")
        let content = try viewer.ask(get).answer["content"] as? [String: Any]
        #expect(content?["text"] as? String == "changed")
    }

    @Test("A new secret chat shows one notification, which its first message replaces")
    func secretChat() throws {
        let push =
            #"{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":5,"random_id":"RANDOM"}}"#
        try self.push(push.replacing("RANDOM", with: "1"))
        try viewer.settle()
        try viewer.ask(
            #"{"@type":"bellwire.addSecretChat","chat_id":-1999999999995,"title":"S"}"#)
        try viewer.settle()
        #expect(viewer.texts == ["notificationTypeNewSecretChat"])
        try self.push(push.replacing("RANDOM", with: "2"))
        try viewer.settle()
        #expect(viewer.texts.count == 1 && viewer.texts != ["notificationTypeNewSecretChat"])
    }

    @Test("Stories are shown until a client does not want them")
    func stories() throws {
        let story =
            #"{"loc_key":"STORY_NOTEXT","loc_args":["Ada"],"custom":{"from_id":"500","story_id":"ID"}}"#
        try push(story.replacing("ID", with: "1"))
        try viewer.settle()
        #expect(viewer.texts.count == 1)
        try viewer.ask(
            #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"},"notification_settings":{"use_default_mute_stories":false,"mute_stories":true}}"#
        )
        try push(story.replacing("ID", with: "2"))
        try viewer.settle()
        #expect(viewer.texts.count == 1)
    }

    @Test("A chat's own sound is used, and joining contacts are hidden, if a client says so")
    func choices() throws {
        try push(RegisteredApp.message("first", id: 5))
        try viewer.next("updateNotificationGroup")
        try viewer.ask(
            #"{"@type":"setChatNotificationSettings","chat_id":500,"notification_settings":{"use_default_sound":false,"sound_id":"6"}}"#
        )
        try viewer.ask(
            #"{"@type":"setOption","name":"disable_contact_registered_notifications","value":{"@type":"optionValueBoolean","value":true}}"#
        )
        try push(#"{"loc_key":"CONTACT_JOINED","loc_args":["Bob"],"custom":{"from_id":"501"}}"#)
        try push(RegisteredApp.message("second", id: 6))
        let group = try viewer.next("updateNotificationGroup")
        #expect(group["chat_id"] as? Int == 500)
        #expect(group["notification_sound_id"] as? String == "6")
    }
}
