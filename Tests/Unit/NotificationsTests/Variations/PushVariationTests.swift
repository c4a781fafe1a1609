import Testing

@testable import Notifications

@Suite("Variations: what a push is for")
struct PushVariationTests {
    @Test("Which pushes are shown", arguments: filtersRules)
    func filters(_ variation: Variation) throws { try variation.run() }

    @Test("Which group, settings and sound a push gets", arguments: placesRules)
    func places(_ variation: Variation) throws { try variation.run() }

    @Test("Which date counts", arguments: datesRules)
    func dates(_ variation: Variation) throws { try variation.run() }

    private static let filtersRules: [Variation] = [
        Variation("the same message twice, or an older one, is heard once") { story in
            for id in [12, 12, 11] { #expect(story.text("x", id: id, date: 1) == .ok) }
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
        },
        Variation("a mention counts as the chat's newest message, too") { story in
            story.say(id: 12, more: #","mention":1"#)
            story.updates = []
            story.say(id: 11)
            #expect(story.sent() == [])
        },
        Variation("while none is wanted the newest message is known all the same") { story in
            try story.set("notification_group_count_max", "0")
            story.text("x", id: 12, date: 1)
            try story.set("notification_group_count_max", "2")
            story.updates = []
            story.text("x", id: 12, date: 1)
            #expect(story.sent() == [])
        },
        Variation("a message that was deleted before it came does not come") { story in
            story.text("w", id: 11, date: 1)
            story.updates = []
            story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"12"}}"#)
            story.text("x", id: 12, date: 1)
            #expect(story.sent() == [])
            story.text("y", id: 13, date: 1)
            #expect(story.sent() == ["1: +[2] -[] sound -1 of 2"])
        },
        Variation("in a chat of which no push has told, nobody remembers deletions") { story in
            story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"12"}}"#)
            story.text("x", id: 12, date: 1)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
        },
        Variation("any number of deletions is remembered, until the next start") { story in
            story.text("w", id: 11, date: 1)
            let ids = (12...90).map(String.init).joined(separator: ",")
            story.push(
                #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"\#(ids)"}}"#)
            story.updates = []
            story.text("x", id: 12, date: 1)
            #expect(story.sent() == [])
            try story.restart()
            story.updates = []
            story.text("x", id: 13, date: 1)
            #expect(story.sent() == ["1: +[2] -[] sound -1 of 2"])
        },
        Variation("a message up to the last one read does not come") { story in
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"channel_id":88,"max_id":12}}"#)
            story.say(id: 12)
            #expect(story.sent() == [])
        },
        Variation("one's own saved messages say nothing, unless they were scheduled") { story in
            story.engine.account.chats[.user(777)] = Chat(.user(777))
            #expect(story.text("x", from: 777, id: 11, date: 1) == .ok)
            #expect(story.sent() == [])
            story.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["Me","x"],"custom":{"from_id":777,"msg_id":12,"schedule":1}}"#
            )
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
            #expect("\(story.engine.activeGroups)".contains("isOutgoing: true"))
        },
        Variation("sent scheduled messages are spared where the option says so") { story in
            try story.request(
                #"{"@type":"setOption","name":"disable_sent_scheduled_message_notifications","value":{"@type":"optionValueBoolean","value":true}}"#
            )
            story.updates = []
            #expect(story.say(id: 11, more: #","schedule":1"#) == .ok)
            #expect(story.sent() == [])
        },
        Variation("an option that is yes or no takes nothing else") { story in
            let outcome = try story.set("disable_contact_registered_notifications", "1")
            #expect(
                outcome
                    == .error(
                        code: 400,
                        message:
                            "Option \"disable_contact_registered_notifications\" must have boolean value"
                    ))
        },
        Variation("somebody else's push is no business of ours") { story in
            #expect(story.push(#"{"user_id":"778","loc_key":"NONSENSE"}"#) == .ok)
            #expect(story.sent() == [])
        },
        Variation("in a chat that was left nothing is shown") { story in
            try story.request(#"{"@type":"bellwire.removeChat","chat_id":1}"#)
            #expect(story.text("x", id: 11, date: 1) == .ok)
            #expect(story.sent() == [])
        },
        Variation("after the end every push and every request is refused") { story in
            story.engine.close(now: story.now)
            let aborted = Outcome.error(code: 500, message: "Request aborted")
            #expect(story.text("x", id: 11) == aborted)
            for request in ["getOption", "registerDevice"] {
                let outcome = try story.request("{\"@type\":\"\(request)\"}")
                #expect(outcome == aborted)
            }
        },
        Variation("who joined Telegram is told even without a message's number, each time") {
            story in
            for _ in 0..<2 {
                story.push(
                    #"{"loc_key":"CONTACT_JOINED","loc_args":["C"],"custom":{"from_id":2}}"#)
            }
            #expect(
                story.sent() == ["1: +[1] -[] sound -1 of 1", "1: +[2] -[] sound -1 of 2"])
            #expect(story.engine.activeGroups.map(\.chatID) == [.user(2)])
        },
        Variation("a secret chat's push must be fetched") { story in
            story.engine.account.chats[.secretChat(5)] = Chat(.secretChat(5))
            let outcome = story.push(
                #"{"loc_key":"ENCRYPTED_MESSAGE","loc_args":["S"],"custom":{"encryption_id":5,"random_id":"7"}}"#
            )
            #expect(
                outcome
                    == .error(code: 406, message: "Secret chat push notifications are unsupported"))
        },
    ]

    private static let placesRules: [Variation] = [
        Variation("silent is silent whatever it says; a ringtone is an id, and none is no sound") {
            story in
            story.say(id: 11, more: #","silent":"0""#)
            story.say(id: 12, more: #","ringtone":"77""#)
            story.say(id: 13, more: #","ringtone":0"#)
            #expect(
                story.sent() == [
                    "1: +[1] -[] sound 0 of 1", "1: +[2] -[] sound 77 of 2",
                    "1: +[3] -[1] sound 0 of 3",
                ])
            #expect(story.engine.activeGroups[0].notifications.map(\.isSilent) == [false, false])
        },
        Variation("a mention of zero is none, and in a private chat none counts") { story in
            story.say(id: 11, more: #","mention":"0""#)
            story.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","x"],"custom":{"from_id":1,"msg_id":11,"mention":"1"}}"#
            )
            #expect(story.engine.activeGroups.map(\.kind) == [.messages, .messages])
        },
        Variation("mentions, replies and pins of a group stand apart from its messages") { story in
            story.say(id: 11, date: 1)
            story.say(id: 12, date: 2, more: #","mention":1"#)
            story.say("PINNED_TEXT", ["User1", "p", "Super88"], id: 13, date: 3)
            #expect(story.engine.activeGroups.map(\.kind) == [.mentions, .messages])
            #expect(story.engine.activeGroups.map(\.totalCount) == [2, 1])
            #expect(story.engine.activeGroups.allSatisfy { $0.chatID == .channel(88) })
        },
        Variation("where mentions are disabled one stands among the messages") { story in
            try story.settings(
                of: -1_000_000_000_088, #""disable_mention_notifications":true"#)
            story.say(id: 11, more: #","mention":1"#)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
        },
        Variation("so does a pin where pins are disabled, and both where a scope says so") {
            story in
            try story.settings(
                of: -1_000_000_000_088, #""disable_pinned_message_notifications":true"#)
            story.say("PINNED_TEXT", ["User1", "p", "Super88"], id: 11)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
            #expect(story.engine.activeGroups.map(\.kind) == [.messages])
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopeGroupChats"},"notification_settings":{"disable_pinned_message_notifications":true,"disable_mention_notifications":true}}"#
            )
            story.updates = []
            let basic = #""chat_id":"77""#
            story.say("PINNED_TEXT", ["User1", "p", "Basic77"], id: 11, chat: basic)
            story.say(
                "CHAT_MESSAGE_TEXT", ["User1", "Basic77", "m"], id: 12, chat: basic,
                more: #","mention":1"#)
            #expect(
                story.sent() == ["2: +[2] -[] sound -1 of 1", "2: +[3] -[] sound -1 of 2"])
            #expect(story.engine.activeGroups.map(\.kind) == [.messages, .messages])
        },
        Variation("of several chats that a push names the last kind is the chat") { story in
            let names = [#""from_id":1"#, #""chat_id":77"#, #""channel_id":88"#]
            let chats = [ChatID.user(1), .basicGroup(77), .channel(88)]
            for count in 1...3 {
                let chat = names.prefix(count).reversed().joined(separator: ",")
                let key = count == 1 ? "MESSAGE_NOTEXT" : "CHAT_MESSAGE_NOTEXT"
                let names = count == 1 ? [] : [["", "", "Basic77", "Super88"][count]]
                story.say(key, ["U"] + names, id: 11, date: count, chat: chat)
                #expect(story.engine.activeGroups.first?.chatID == chats[count - 1])
            }
        },
        Variation("a channel that speaks comes before a group, and a group before a person") {
            story in
            story.say(id: 11, more: #","mention":1,"chat_from_group_id":"88""#)
            story.say(
                id: 12, more: #","mention":1,"chat_from_group_id":88,"chat_from_broadcast_id":99"#)
            #expect(
                story.sent() == [
                    "1: +[1] -[] sound -1 of 1", "1: +[2] -[] sound -1 of 2 by -1000000000099",
                ])
            let text = "\(story.engine.activeGroups)"
            #expect(text.contains("chat(Notifications.ChatID(rawValue: -1000000000088))"))
            #expect(!text.contains("Sender.user"))
        },
        Variation("a mention by a channel is shown under that channel's settings") { story in
            story.say(id: 11, more: #","mention":1,"chat_from_broadcast_id":"99""#)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1 by -1000000000099"])
        },
        Variation("a mention rings in a muted group, unless its author is muted") { story in
            try story.settings(of: -1_000_000_000_088, #""mute_for":1000"#)
            try story.settings(of: 2, #""mute_for":1000"#)
            story.say(id: 11)
            story.say(from: 2, id: 12, more: #","mention":1"#)
            #expect(story.sent() == [])
            story.say(from: 1, id: 13, more: #","mention":1"#)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1 by 1"])
        },
        Variation("what came before the muting ended is dropped, what comes after is shown") {
            story in
            try story.settings(of: 1, #""mute_for":10"#)
            story.text("x", id: 11, date: 59)
            #expect(story.sent() == [])
            story.pass(11)
            story.text("y", id: 12, date: 71)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
        },
        Variation("more than a year of muting is for ever") { story in
            try story.settings(of: 1, #""mute_for":31622401"#)
            story.pass(400 * 86_400)
            story.text("x", id: 11)
            #expect(story.sent() == [])
        },
        Variation("a scope's muting counts once the chat's own settings are known") { story in
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopeChannelChats"},"notification_settings":{"mute_for":1000}}"#
            )
            let push =
                #"{"loc_key":"CHANNEL_MESSAGE_TEXT","loc_args":["Chan99","t"],"custom":{"channel_id":99,"msg_id":11}}"#
            story.push(push)
            #expect(story.sent().count == 1)
            try story.settings(of: -1_000_000_000_099, #""sound":true"#)
            story.push(push.replacing("11", with: "12"))
            #expect(story.sent() == [])
        },
        Variation("a chat's sound is not that of its pushes, and its preview not theirs") { story in
            try story.settings(
                of: 1, #""sound_id":"5","use_default_sound":false,"show_preview":false"#)
            story.text("x", id: 11, date: 1)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
            #expect(story.shown == [["x"]])
        },
        Variation("a newer pin takes the older one's place; a muted one removes it, too") { story in
            let pin = ["User1", "p", "Super88"]
            story.say("PINNED_TEXT", pin, id: 11)
            story.say("PINNED_TEXT", pin, id: 12, date: 2)
            #expect(
                story.sent() == [
                    "1: +[1] -[] sound -1 of 1 by 1", "1: +[] -[1] sound 0 of 0",
                    "1: +[2] -[] sound -1 of 1 by 1",
                ])
            try story.settings(of: 2, #""mute_for":1000"#)
            story.say("PINNED_TEXT", pin, from: 2, id: 13, date: 3)
            story.pass(1)
            #expect(story.sent() == ["1: +[] -[2] sound 0 of 0"])
        },
        Variation("in a private chat pins are messages, and each stays") { story in
            for id in [11, 12] {
                story.push(
                    #"{"loc_key":"PINNED_NOTEXT","loc_args":["U"],"custom":{"from_id":1,"msg_id":\#(id)}}"#
                )
            }
            #expect(story.engine.activeGroups.first?.notifications.count == 2)
            #expect(story.engine.activeGroups.first?.kind == .messages)
        },
        Variation("a channel speaks for itself, without a name") { story in
            story.push(
                #"{"loc_key":"CHANNEL_MESSAGE_PHOTO","loc_args":["Chan99"],"custom":{"channel_id":99,"msg_id":11}}"#
            )
            let text = "\(story.engine.activeGroups)"
            #expect(text.contains("chat(Notifications.ChatID(rawValue: -1000000000099))"))
            #expect(text.contains(#"senderName: """#))
        },
        Variation("in a basic group an author who is not named is the service itself") { story in
            story.push(
                #"{"loc_key":"CHAT_MESSAGE_PHOTO","loc_args":["A","Basic77"],"custom":{"chat_id":77,"msg_id":11}}"#
            )
            #expect("\(story.engine.activeGroups)".contains("user(777000)"))
        },
    ]

    private static let datesRules: [Variation] = [
        ("a date of the wrapper counts", #""date":1800000007,"#, "", 7),
        ("a date inside does not", "", #","date":1800000007"#, 60),
        ("one from the future does not", #""date":1800000066,"#, "", 60),
        ("one from five seconds ahead does", #""date":1800000065,"#, "", 65),
        ("one of 28 days ago does", #""date":1797580860,"#, "", -2_419_140),
        ("an older one does not", #""date":1797580859,"#, "", 60),
        (
            "the time at which a gateway sent it counts more", #""date":1800000007,"#,
            #","google.sent_time":"1800000009123""#, 9
        ),
        (
            "unless it cannot be true: then the wrapper's", #""date":1800000007,"#,
            #","google.sent_time":1800000013000"#, 7
        ),
    ].map { rule, outer, inner, offset in
        Variation(rule) { story in
            story.push(
                #"{\#(outer)"data":{"loc_key":"MESSAGE_TEXT","loc_args":["U","x"],"custom":{"from_id":1,"msg_id":11}\#(inner)}}"#
            )
            let found = story.engine.activeGroups.first?.notifications.first?.date
            #expect(found == Int64(1_800_000_000 + offset))
        }
    }
}
