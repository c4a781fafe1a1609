import Testing
@testable import Notifications

/// How an account without its own client differs from TDLib, point by point.
@Suite("The policy learn")
struct LearnPolicyTests {
    private static let unknownChat =
        #"{"loc_key":"MESSAGE_TEXT","loc_args":["Zoe","hi"],"custom":{"from_id":"4242","msg_id":"1"}}"#

    @Test("A push creates its chat")
    func introducesChat() {
        var strict = Story(.strict)
        let refusal = Outcome.error(code: 406, message: "Ignore notification in unknown chat")
        #expect(strict.push(Self.unknownChat) == refusal)
        var learn = Story(.learn)
        #expect(learn.push(Self.unknownChat) == .ok)
        #expect(learn.shown == [["hi"]])
        #expect(learn.engine.account.chats[.user(4242)]?.title == "Zoe")
    }

    @Test("Reading removes notifications and lowers the count", arguments: ["push", "request"])
    func reading(way: String) throws {
        for policy in [ChatPolicy.strict, .learn] {
            var story = Story(policy)
            for id in 11...13 { story.text("m\(id)", id: id) }
            if way == "push" {
                story.push(#"{"loc_key":"READ_HISTORY","custom":{"from_id":"1","max_id":"12"}}"#)
            } else {
                try story.request(
                    #"{"@type":"viewMessages","chat_id":1,"message_ids":[\#(12 << 20)]}"#)
            }
            story.pass(1)
            let isLearn = policy == .learn
            #expect(story.shown == (isLearn ? [["m13"]] : [["m11", "m12", "m13"]]))
            #expect(story.engine.activeGroups.first?.totalCount == (isLearn ? 1 : 3))
        }
    }

    @Test("The scope's settings apply to chats that have none of their own")
    func scope() throws {
        for policy in [ChatPolicy.strict, .learn] {
            var story = Story(policy)
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"},"notification_settings":{"mute_for":1000,"show_preview":true}}"#
            )
            story.text("hi", id: 11)
            #expect(story.shown.isEmpty == (policy == .learn))
        }
    }

    @Test("Without preview the text stays hidden")
    func preview() throws {
        for policy in [ChatPolicy.strict, .learn] {
            var story = Story(policy)
            try story.request(
                #"{"@type":"setChatNotificationSettings","chat_id":1,"notification_settings":{"use_default_mute_for":true,"use_default_sound":true,"show_preview":false}}"#
            )
            story.text("secret", id: 11)
            let isHidden = policy == .learn
            #expect(story.shown == (isHidden ? [[""]] : [["secret"]]))
            #expect("\(story.engine.activeGroups)".contains("secret") == !isHidden)
        }
    }

    @Test(
        "Among a pin's arguments, the one equal to the chat's title is its title",
        arguments: [
            ("Super88", "pinned", "pinned"), ("pinned", "Super88", "pinned"),
            ("other", "pinned", "pinned"),
        ])
    func pin(second: String, third: String, text: String) {
        var story = Story(.learn)
        story.push(
            #"{"loc_key":"PINNED_TEXT","loc_args":["Ann","\#(second)","\#(third)"],"custom":{"channel_id":"88","chat_from_id":"1","msg_id":"5"}}"#
        )
        #expect(story.shown == [[text]])
    }

    @Test("Missing names are tolerated, and contact_id stands in for from_id")
    func missingNames() {
        var story = Story(.learn)
        #expect(
            story.push(
                #"{"loc_key":"CONTACT_JOINED","loc_args":["Carol"],"custom":{"contact_id":2}}"#)
                == .ok)
        #expect(
            story.push(#"{"loc_key":"MESSAGE_PHOTO","custom":{"from_id":1,"msg_id":5}}"#) == .ok)
        #expect(
            story.push(
                #"{"loc_key":"CHAT_MESSAGE_STORY","loc_args":["Ann"],"custom":{"channel_id":88,"chat_from_id":1,"msg_id":6}}"#
            ) == .ok)
        #expect(
            Set(story.engine.activeGroups.map(\.chatID)) == [.user(2), .user(1), .channel(88)])
    }

    @Test("A title that the client knows stands in for one that was not sent")
    func knownTitle() throws {
        var story = Story(.learn)
        try story.request(
            #"{"@type":"bellwire.setChat","chat_id":-88,"title":"Office","type":"basic_group"}"#)
        for (id, key) in [(5, "CHAT_MESSAGE_NOTEXT"), (6, "CHAT_MESSAGE_STORY")] {
            story.push(
                #"{"loc_key":"\#(key)","loc_args":["Ann"],"custom":{"chat_id":88,"chat_from_id":1,"msg_id":\#(id)}}"#
            )
        }
        let shown = story.engine.activeGroups.first?.notifications.compactMap {
            if case .newPushMessage(let message) = $0.content { message.presentation } else { nil }
        }
        #expect(shown?.map(\.title) == ["Office", "Office"])
        #expect(
            shown?.map(\.body)
                == ["Ann sent a message to the group Office", "Ann shared a story to the group"])
    }

    @Test(
        "Keys that TDLib does not show are shown by their sentences, and the client is asked to fetch",
        arguments: [
            (
                #""loc_key":"REACT_PHOTO","loc_args":["Ann","👍"],"custom":{"from_id":1,"msg_id":5}"#,
                "Ann: 👍 to your photo"
            ),
            (
                #""loc_key":"STORY_NOTEXT","loc_args":["Ann"],"custom":{"from_id":1}"#,
                "Ann posted a story"
            ),
            (
                #""loc_key":"AUTH_REGION","loc_args":["Phone","Rome"]"#,
                "New login from unrecognized device Phone, location: Rome"
            ),
            (#""loc_key":"LOCKED_MESSAGE""#, "You have a new message"),
            (
                #""loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":5,"random_id":"9"}"#,
                "You have a new message"
            ),
            (
                #""loc_key":"PHONE_CALL_MISSED","loc_args":["Ann"],"custom":{"from_id":1}"#,
                "You missed a call from Ann"
            ),
        ])
    func described(members: String, sentence: String) throws {
        var story = Story(.learn)
        #expect(story.push("{\(members)}") == .ok)
        let notification = try #require(story.engine.activeGroups.first?.notifications.first)
        guard case .newPushMessage(let message) = notification.content else {
            Issue.record("no message")
            return
        }
        #expect(message.presentation?.body == sentence)
        let isFetched = story.updates.contains {
            if case .fetchRequired = $0 { true } else { false }
        }
        #expect(isFetched)
    }

    @Test("Calls ring for a minute, then they are missed")
    func ringing() {
        var story = Story(.learn)
        story.push(#"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["Ann"],"custom":{"from_id":1}}"#)
        #expect(story.shown == [["call"]])
        #expect(story.engine.nextDeadline == story.now + 60)
        story.pass(60)
        #expect(story.shown == [["You missed a call from Ann"]])
    }

    @Test("A missed call sounds if it did not ring here, and is silent if it did")
    func missedElsewhere() {
        func push(_ story: inout Story, _ key: String, _ more: String) {
            story.push(
                #"{"loc_key":"PHONE_CALL_\#(key)","loc_args":["Ann"],"custom":{"from_id":1\#(more)}}"#
            )
        }
        for (rings, passed, more, sound) in [
            (false, 0, "", -1), (true, 5, "", 0), (true, 60, "", 0), (true, 200, "", -1),
            (false, 0, #","silent":"1""#, 0),
        ] as [(Bool, Double, String, Int64)] {
            var story = Story(.learn)
            if rings { push(&story, "REQUEST", "") }
            story.pass(min(passed, 60))
            story.pass(max(passed - 60, 0))
            story.updates = []
            push(&story, "MISSED", more)
            let missed = story.takeGroups().last { !$0.added.isEmpty }
            #expect(missed?.soundID == sound, "\(rings), after \(passed) s")
        }
    }

    @Test("A declined call ends and frees its group for the next")
    func declined() {
        var story = Story(.learn)
        for _ in 0..<3 {
            story.push(
                #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["Ann"],"custom":{"from_id":1}}"#)
            story.push(
                #"{"loc_key":"PHONE_CALL_DECLINE","loc_args":["Ann"],"custom":{"from_id":1}}"#)
        }
        #expect(story.shown.isEmpty)
        #expect(story.engine.account.lastGroupID == 1)
        #expect(story.engine.account.lastNotificationID == 3)
    }
}
