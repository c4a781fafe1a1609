import Base
import Testing

@testable import Notifications

@Suite("Requests about chats, as TDLib answers them")
struct ChatRequestTests {
    private static let group = -1_000_000_000_088

    /// Whether a request from a source empties the group of a chat, in which one message is shown.
    private func reads(
        _ policy: ChatPolicy, open isOpen: Bool, source: String?, forced: Bool = false
    ) throws -> Bool {
        var story = Story(policy)
        story.say("CHAT_MESSAGE_TEXT", ["User1", "Super88", "hi"], id: 11)
        try #require(story.shown == [["hi"]])
        if isOpen { try story.request(#"{"@type":"openChat","chat_id":\#(Self.group)}"#) }
        let members = source.map { #","source":{"@type":"messageSource\#($0)"}"# } ?? ""
        let outcome = try story.request(
            #"{"@type":"viewMessages","chat_id":\#(Self.group),"message_ids":[\#(11 << 20)],"force_read":\#(forced)\#(members)}"#
        )
        #expect(outcome == .ok)
        return story.shown.isEmpty
    }

    @Test("Only the chat's own history reads messages, unless the request forces it")
    func sources() throws {
        for policy in [ChatPolicy.strict, .learn] {
            #expect(try reads(policy, open: false, source: "ChatHistory"))
            #expect(try reads(policy, open: true, source: nil))
            #expect(try reads(policy, open: false, source: nil) == (policy == .learn))
            for source in [
                "Notification", "ChatList", "HistoryPreview", "Search", "Screenshot", "Other",
            ] {
                #expect(try !reads(policy, open: true, source: source))
                #expect(try reads(policy, open: false, source: source, forced: true))
            }
            #expect(try !reads(policy, open: true, source: "ChatEventLog", forced: true))
            #expect(try !reads(policy, open: true, source: "MessageThreadHistory", forced: true))
        }
    }

    @Test(
        "Histories of topics, wrong chats and wrong identifiers are refused, and nothing is read",
        arguments: [
            (#""chat_id":0,"message_ids":[1]"#, "Invalid chat identifier specified"),
            (#""chat_id":-4000000000001"#, "Invalid chat identifier specified"),
            (#""chat_id":5"#, "Chat not found"),
            (#""chat_id":1,"message_ids":[11534336,0]"#, "Invalid message identifier"),
            (#""chat_id":1,"message_ids":[null]"#, "Invalid message identifier"),
            (#""chat_id":1,"message_ids":[3]"#, "Invalid message identifier"),
            (#""chat_id":1,"message_ids":[-1048576]"#, "Invalid message identifier"),
            (#""chat_id":1,"message_ids":[2251799813685248]"#, "Invalid message identifier"),
            (
                #""chat_id":1,"message_ids":[2251799812636682],"source":{"@type":"messageSourceSearch"}"#,
                "Can't view the message from the specified source"
            ),
            (
                #""chat_id":1,"message_ids":[1],"source":{"@type":"messageSourceMessageThreadHistory"}"#,
                "There are no message threads in the chat"
            ),
            (
                #""chat_id":1,"message_ids":[1],"source":{"@type":"messageSourceForumTopicHistory"}"#,
                "Chat is not a forum"
            ),
            (
                #""chat_id":1,"message_ids":[1],"source":{"@type":"messageSourceDirectMessagesChatTopicHistory"}"#,
                "Chat is not a channel direct messages chat"
            ),
        ])
    func refused(members: String, message: String) throws {
        var story = Story()
        story.text("hi", id: 11)
        let outcome = try story.request(
            "{\"@type\":\"viewMessages\",\"force_read\":true,\(members)}")
        #expect(outcome == .badRequest(message))
        #expect(story.shown == [["hi"]])
    }

    @Test(
        "Messages that were never sent, scheduled ones and advertisements are passed over",
        arguments: [11 << 20 + 1, 11 << 20 + 4, 11 << 20 + 5, 11 << 20 + 6, 2_251_799_812_636_682])
    func passedOver(id: Int) throws {
        var story = Story(.strict)
        story.text("hi", id: 11)
        let outcome = try story.request(
            #"{"@type":"viewMessages","chat_id":1,"message_ids":[\#(id)],"source":{"@type":"messageSourceChatHistory"}}"#
        )
        #expect(
            outcome == .ok && story.engine.account.chats[.user(1)]?.lastRead == ChatMessageID.none)
    }

    @Test("A chat that was opened twice is open until it is closed twice")
    func openTwice() throws {
        var story = Story(.strict)
        for (request, isOpen) in [
            ("openChat", true), ("openChat", true), ("closeChat", true), ("closeChat", false),
            ("closeChat", false), ("openChat", true),
        ] {
            try story.request(#"{"@type":"\#(request)","chat_id":1}"#)
            #expect((story.engine.openChats[.user(1)] != nil) == isOpen)
        }
    }

    @Test("What is changed in a chat is told to all clients, once")
    func told() throws {
        for (request, update) in [
            (
                #""toggleChatIsMarkedAsUnread","is_marked_as_unread":true"#,
                #""updateChatIsMarkedAsUnread","chat_id":1,"is_marked_as_unread":true"#
            ),
            (
                #""toggleChatDefaultDisableNotification","default_disable_notification":true"#,
                #""updateChatDefaultDisableNotification","chat_id":1,"default_disable_notification":true"#
            ),
        ] {
            var story = Story()
            for _ in 0..<2 {
                #expect(try story.request("{\"@type\":\(request),\"chat_id\":1}") == .ok)
            }
            #expect(story.updates == [.changed(json: "{\"@type\":\(update)}")])
            #expect(
                try Account(state: story.engine.account.state).chats == story.engine.account.chats)
        }
    }

    @Test("Reading a chat also takes its mark away")
    func unmarked() throws {
        var story = Story()
        try story.request(
            #"{"@type":"toggleChatIsMarkedAsUnread","chat_id":1,"is_marked_as_unread":true}"#)
        story.text("hi", id: 11)
        try story.request(
            #"{"@type":"viewMessages","chat_id":1,"message_ids":[\#(11 << 20)],"force_read":true}"#)
        #expect(story.engine.account.chats[.user(1)]?.isMarkedUnread == false)
    }

    @Test("Reading all mentions empties their group; the rest is the server's")
    func mentions() throws {
        var story = Story()
        let mention = #","chat_from_id":"1","mention":"1""#
        story.push(
            #"{"loc_key":"CHAT_MESSAGE_TEXT","loc_args":["A","B","hi"],"custom":{"channel_id":"88","msg_id":"11"\#(mention)}}"#
        )
        try #require(story.shown == [["hi"]])
        for name in ["Reactions", "PollVotes", "Mentions"] {
            #expect(story.shown == [["hi"]])
            let request = #"{"@type":"readAllChat\#(name)","chat_id":\#(Self.group)}"#
            #expect(try story.request(request) == .needsServer)
        }
        #expect(story.shown.isEmpty)
        #expect(
            try story.request(#"{"@type":"readAllChatMentions","chat_id":5}"#)
                == .badRequest("Chat not found"))
    }

    @Test("A message that was supplied and read is found when it is pinned later, and kept")
    func readBeforePin() throws {
        let message = { (id: Int, content: String) in
            #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(id << 20),"chat_id":\#(Self.group),"date":1800000060,"content":{\#(content)}}}"#
        }
        let get =
            #"{"@type":"getMessageLocally","chat_id":\#(Self.group),"message_id":\#(11 << 20)}"#
        var story = Story()
        try story.request(message(11, #""@type":"messageText","text":"words""#))
        story.pass(2)
        try story.request(
            #"{"@type":"viewMessages","chat_id":\#(Self.group),"message_ids":[\#(11 << 20)],"force_read":true}"#
        )
        #expect(story.shown.isEmpty)
        try story.request(
            message(12, #""@type":"messagePinMessage","message_id":\#(11 << 20)"#))
        story.pass(2)
        for id in 20..<60 { try story.request(message(id, #""@type":"messageText""#)) }
        try story.restart()
        guard case .object(let text)? = try story.request(get) else {
            Issue.record("not found")
            return
        }
        #expect(text.contains("words"))
    }

    @Test("Of the messages that were supplied only the last are kept")
    func recentMessages() {
        var messages = RecentMessages()
        for id in 1...40 as ClosedRange<Int64> {
            let source = [UInt8](repeating: 0x20, count: id == 40 ? 60_000 : 300)
            messages.add(
                LoadedMessage(chatID: .user(1), id: ChatMessageID(id), date: 0, source: source))
        }
        let kept = (1...40).filter { messages.message(ChatMessageID($0), in: .user(1)) != nil }
        // 18 of 300 bytes and one of 60,000 fit into 64 KiB.
        #expect(kept == Array(22...40))
        messages.remove([ChatMessageID(40)], from: .user(1))
        #expect(messages.message(ChatMessageID(40), in: .user(1)) == nil)
        let huge = [UInt8](repeating: 0x20, count: 70_000)
        messages.add(LoadedMessage(chatID: .user(1), id: ChatMessageID(41), date: 0, source: huge))
        #expect(messages == RecentMessages())
    }

    @Test("Chats and users are known as far as notifications name them")
    func known() throws {
        var story = Story()
        story.text("hi", id: 11)
        story.say("CHAT_MESSAGE_TEXT", ["Ann", "Super88", "hi"], from: 9, id: 11)
        let answers = [
            (#""getChat","chat_id":1"#, [#""title":"User1""#, #""unread_count":1"#]),
            (#""getChat","chat_id":\#(Self.group)"#, [#""supergroup_id":88"#]),
            (#""getUser","user_id":1"#, [#""first_name":"User1""#]),
            (#""getUser","user_id":9"#, [#""first_name":"Ann""#]),
            (#""getMe""#, [#""id":777"#]),
            (
                #""getCurrentState""#,
                [#""updateActiveNotifications""#, #""authorizationStateReady""#]
            ),
            (#""getOption","name":"version""#, [#""1.8.69""#]),
            (#""getOption","name":"my_id""#, [#""777""#]),
            (#""getOption","name":"online""#, [#""value":false"#]),
            (#""getAuthorizationState""#, ["authorizationStateReady"]),
            (#""testSquareInt","x":5"#, [#"{"@type":"testInt","value":25}"#]),
            (
                #""testCallVectorStringObject","x":[{"value":"y"}]"#,
                [#"[{"@type":"testString","value":"y"}]"#]
            ),
        ]
        for (request, parts) in answers {
            guard case .object(let text)? = try story.request("{\"@type\":\(request)}") else {
                Issue.record("\(request)")
                continue
            }
            #expect(parts.allSatisfy(text.contains), "\(text)")
        }
        for (request, message) in [
            (#""getChat","chat_id":5"#, "Chat not found"),
            (#""getUser","user_id":5"#, "User not found"),
            (#""getUser""#, "Invalid user identifier"),
            (#""setAlarm","seconds":-1"#, "Wrong parameter seconds specified"),
            (
                #""setLogVerbosityLevel","new_verbosity_level":1025"#,
                "Wrong new verbosity level specified"
            ),
            (
                #""setForumTopicNotificationSettings","chat_id":1,"forum_topic_id":5"#,
                "The chat is not a forum"
            ),
        ] {
            #expect(try story.request("{\"@type\":\(request)}") == .badRequest(message))
        }
        for request in [
            #""setAlarm","seconds":2.5"#, #""setLogVerbosityLevel""#, #""testCallEmpty""#,
        ] {
            #expect(try story.request("{\"@type\":\(request)}") == .ok)
        }
        for request in [
            "getSavedNotificationSounds", "getChatNotificationSettingsExceptions",
            "getStoryNotificationSettingsExceptions", "addSavedNotificationSound", "testNetwork",
        ] {
            #expect(try story.request("{\"@type\":\"\(request)\"}") == .needsServer)
        }
    }

    @Test("The option online tells whether the client is in use")
    func online() throws {
        var story = Story()
        try story.request(
            #"{"@type":"setOption","name":"online","value":{"@type":"optionValueBoolean","value":true}}"#
        )
        #expect(story.engine.presence.isOnline)
        #expect(story.updates == [.option(name: "online", .boolean(true))])
    }
}
