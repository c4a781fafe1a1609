import Testing

@testable import Notifications

@Suite("Variations: dismissed, deleted, read, edited")
struct RemovalVariationTests {
    @Test("What the user dismisses", arguments: dismissalsRules)
    func dismissals(_ variation: Variation) throws { try variation.run() }

    @Test("Messages read or deleted elsewhere", arguments: elsewhereRules)
    func elsewhere(_ variation: Variation) throws { try variation.run() }

    @Test("What changes", arguments: changesRules)
    func changes(_ variation: Variation) throws { try variation.run() }

    private static let dismissalsRules: [Variation] = [
        Variation("identifiers that cannot be are refused in TDLib's words") { story in
            let refusals = [
                (
                    #""removeNotification","notification_group_id":0,"notification_id":1"#,
                    "Notification group identifier is invalid"
                ),
                (
                    #""removeNotification","notification_group_id":1,"notification_id":-1"#,
                    "Notification identifier is invalid"
                ),
                (
                    #""removeNotificationGroup","notification_group_id":-5,"max_notification_id":1"#,
                    "Group identifier is invalid"
                ),
                (
                    #""removeNotificationGroup","notification_group_id":1"#,
                    "Notification identifier is invalid"
                ),
            ]
            for (members, message) in refusals {
                let outcome = try story.request("{\"@type\":\(members)}")
                #expect(outcome == .error(code: 400, message: message))
            }
        },
        Variation("identifiers that nobody has are fine") { story in
            try story.remove(5, group: 9)
            try story.removeGroup(9, upTo: 5)
            #expect(story.sent() == [])
        },
        Variation("a group is dismissed with what is hidden of it, and counts on afterwards") {
            story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            story.updates = []
            try story.removeGroup(1, upTo: 99)
            try story.removeGroup(1, upTo: 99)
            story.text("y", id: 14, date: 14)
            #expect(
                story.sent() == ["1: +[] -[2, 3] sound 0 of 3", "1: +[4] -[] sound -1 of 4"])
        },
        Variation("a group is dismissed up to a notification, and the others stay") { story in
            for id in 11...12 { story.text("x", id: id, date: id) }
            story.updates = []
            try story.removeGroup(1, upTo: 1)
            #expect(story.sent() == ["1: +[] -[1] sound 0 of 2"])
        },
        Variation("dismissing nothing of a group that waits to come back brings it at once") {
            story in
            for (user, date) in [(2, 2), (1, 1), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            try story.removeGroup(1, upTo: 1)
            story.updates = []
            try story.remove(9, group: 2)
            #expect(story.sent() == [])
            try story.removeGroup(2, upTo: 1)
            #expect(story.sent() == ["2: +[2] -[] sound 0 of 1"])
        },
        Variation("an option that is set to what it was hurries nothing") { story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            try story.removeGroup(2, upTo: 2)
            story.updates = []
            try story.set("notification_group_count_max", "2")
            #expect(story.sent() == [])
            try story.set("notification_group_count_max", "3")
            #expect(story.sent() == ["1: +[1] -[] sound 0 of 1"])
        },
        Variation("a limit above the last id is that of now: later ones come") { story in
            story.text("x", id: 11, date: 1)
            try story.removeGroup(1, upTo: 1000)
            story.updates = []
            story.text("y", id: 12, date: 2)
            #expect(story.sent() == ["1: +[2] -[] sound -1 of 2"])
        },
    ]

    private static let elsewhereRules: [Variation] = [
        Variation("deletions are told one by one, in the payload's order") { story in
            for id in 11...12 { story.text("x", id: id, date: id) }
            story.updates = []
            story.push(
                #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":"1","messages":"12,11"}}"#)
            #expect(
                story.sent() == ["1: +[] -[2] sound 0 of 1", "1: +[] -[1] sound 0 of 0"])
        },
        Variation("a deletion of a hidden one changes the count") { story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            story.updates = []
            story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":11}}"#)
            #expect(story.sent() == ["1: +[] -[] sound 0 of 2"])
        },
        Variation("the end of a group that nobody sees is told all the same") { story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            story.updates = []
            story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"11"}}"#)
            #expect(story.sent() == ["1: +[] -[] sound 0 of 0"])
        },
        Variation("so is that of one that was about to come back") { story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            try story.removeGroup(3, upTo: 3)
            story.updates = []
            story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"11"}}"#)
            #expect(story.sent() == ["1: +[] -[] sound 0 of 0"])
        },
        Variation("one that was about to come back and is dismissed is never told") { story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            try story.removeGroup(3, upTo: 3)
            story.updates = []
            try story.removeGroup(1, upTo: 1)
            story.pass(1)
            #expect(story.sent() == [])
        },
        Variation("a deletion takes a mention, and a pin") { story in
            story.say("PINNED_TEXT", ["User1", "p", "Super88"], id: 11)
            story.say(id: 12, more: #","mention":1"#)
            story.updates = []
            story.push(
                #"{"loc_key":"MESSAGE_DELETED","custom":{"channel_id":88,"messages":"11,12,13"}}"#)
            #expect(
                story.sent() == ["1: +[] -[1] sound 0 of 1", "1: +[] -[2] sound 0 of 0"])
        },
        Variation("lists of numbers that are none are refused") { story in
            for (list, message) in [
                ("1, 2", "Can't parse as an integer string \" 2\""),
                ("0", "Receive invalid message identifier"),
                ("a", "Can't parse as an integer string \"a\""),
            ] {
                let outcome = story.push(
                    #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"\#(list)"}}"#)
                #expect(outcome == .error(code: 400, message: message))
            }
            #expect(
                story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":""}}"#)
                    == .ok)
        },
        Variation("reading a supergroup takes every push of it, but no mention") { story in
            story.say(id: 11)
            story.say(id: 12, date: 2, more: #","mention":1"#)
            story.say(id: 13, date: 3)
            story.updates = []
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"channel_id":88,"max_id":11}}"#)
            #expect(story.sent() == [], "it waits for others")
            story.pass(1)
            #expect(story.sent() == ["1: +[] -[1, 3] sound 0 of 0"])
        },
        Variation("reading takes a pin up to the last one read") { story in
            story.say("PINNED_TEXT", ["User1", "p", "Super88"], id: 11)
            story.updates = []
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"channel_id":88,"max_id":11}}"#)
            story.pass(1)
            #expect(story.sent() == ["1: +[] -[1] sound 0 of 0"])
        },
        Variation("private chats in no list keep what was read until the next start") { story in
            story.text("x", id: 11, date: 1)
            story.say("CHAT_MESSAGE_TEXT", ["U", "Basic77", "x"], id: 11, chat: #""chat_id":"77""#)
            try story.request(#"{"@type":"setChatDraftMessage","chat_id":1}"#)
            story.updates = []
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"from_id":1,"max_id":11}}"#)
            story.pass(1)
            #expect(story.sent() == [])
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"chat_id":77,"max_id":11}}"#)
            story.pass(1)
            #expect(story.sent() == ["2: +[] -[2] sound 0 of 0"])
            try story.restart()
            #expect(story.sent() == ["active "])
        },
        Variation("reading less than before changes nothing") { story in
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"channel_id":88,"max_id":20}}"#)
            story.updates = []
            story.push(#"{"loc_key":"READ_HISTORY","custom":{"channel_id":88,"max_id":11}}"#)
            #expect(story.updates == [])
        },
        Variation("nothing can be read up to nothing") { story in
            for id in ["0", "-1"] {
                let outcome = story.push(
                    #"{"loc_key":"READ_HISTORY","custom":{"from_id":1,"max_id":\#(id)}}"#)
                #expect(outcome == .error(code: 400, message: "Receive invalid max_id"))
            }
        },
        Variation("a look at a message reads it in an open chat, or where that is said") { story in
            story.say(id: 11)
            let view =
                #"{"@type":"viewMessages","chat_id":-1000000000088,"message_ids":[\#(11 << 20)]FORCE}"#
            story.updates = []
            try story.request(view.replacing("FORCE", with: ""))
            #expect(story.sent() == [])
            try story.request(view.replacing("FORCE", with: #","force_read":true"#))
            #expect(story.sent() == ["1: +[] -[1] sound 0 of 0"])
        },
        Variation("what is deleted while none is wanted wakes up") { story in
            for id in 11...12 { story.text("x", id: id, date: id) }
            try story.set("notification_group_count_max", "0")
            story.push(#"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":1,"messages":"12"}}"#)
            story.engine.account.options[OptionName.groupCountMax] = .integer(2)
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active 1: [1, 2] of 2"])
        },
        Variation("what nobody has told of has not been seen") { story in
            story.text("x", id: 11, date: 1)
            try story.request(
                #"{"@type":"viewMessages","chat_id":1,"message_ids":[\#(12 << 20)],"force_read":true}"#
            )
            story.updates = []
            story.text("y", id: 12, date: 1)
            #expect(story.sent() == ["1: +[2] -[] sound -1 of 2"])
        },
        Variation("what goes without a word leaves its group in its place") { story in
            try story.set("notification_group_count_max", "1")
            try story.set("notification_group_size_max", "1")
            story.text("x", id: 11, date: 20)
            story.text("x", id: 12, date: 5)
            try story.remove(1, group: 1)
            story.updates = []
            story.text("x", from: 2, id: 11, date: 10)
            #expect(story.sent() == [])
        },
        Variation("wanting mentions again counts what is left of them") { story in
            for id in 11...12 { story.say(id: id, more: #","mention":"1""#) }
            try story.remove(1, group: 1)
            try story.settings(of: -1_000_000_000_088, #""disable_mention_notifications":true"#)
            try story.settings(of: -1_000_000_000_088, #""disable_mention_notifications":false"#)
            story.updates = []
            story.say(id: 13, more: #","mention":"1""#)
            #expect(story.sent() == ["1: +[3] -[] sound -1 of 2 by 1"])
        },
        Variation("a group that stays hidden says nothing of what waits in it") { story in
            try story.set("notification_group_count_max", "1")
            story.text("x", id: 11, date: 40)
            story.updates = []
            for id in 11...12 {
                story.say(
                    "PINNED_TEXT", ["U", "p", "Basic77"], id: id, date: 5, chat: #""chat_id":"77""#)
            }
            #expect(story.sent() == [])
        },
    ]

    private static let changesRules: [Variation] = [
        Variation("an edit keeps id, date and count, and may change the kind") { story in
            story.text("x", id: 11, date: 1)
            story.updates = []
            story.push(
                #"{"loc_key":"MESSAGE_PHOTO","loc_args":["U","🖼 c"],"custom":{"from_id":1,"msg_id":11,"edit_date":5}}"#
            )
            #expect(story.sent() == ["1: edit 1"])
            #expect(story.shown == [["c"]])
            #expect(story.engine.activeGroups.first?.notifications.first?.date == 1_800_000_001)
        },
        Variation("an edit keeps who wrote it") { story in
            story.say(id: 11)
            story.say(
                "CHAT_MESSAGE_TEXT", ["Other", "Super88", "new"], from: 2, id: 11,
                more: #","edit_date":1"#)
            #expect("\(story.engine.activeGroups)".contains(#"senderName: "User1""#))
        },
        Variation("an edit of what is hidden is seen when it comes back") { story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            story.updates = []
            story.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","new"],"custom":{"from_id":1,"msg_id":11,"edit_date":1}}"#
            )
            #expect(story.sent() == [])
            try story.remove(3, group: 1)
            #expect(story.shown == [["new", "x"]])
        },
        Variation("an edit of what is unknown, dismissed or forgotten is fine") { story in
            story.text("x", id: 11, date: 1)
            try story.remove(1, group: 1)
            story.updates = []
            for id in [11, 12] {
                let outcome = story.push(
                    #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","n"],"custom":{"from_id":1,"msg_id":\#(id),"edit_date":1}}"#
                )
                #expect(outcome == .ok)
            }
            #expect(story.sent() == [])
        },
        Variation("an edit without a date is none") { story in
            for date in ["0", "-1"] {
                let outcome = story.push(
                    #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","n"],"custom":{"from_id":1,"msg_id":1,"edit_date":\#(date)}}"#
                )
                #expect(outcome == .error(code: 400, message: "Receive wrong edit date"))
            }
        },
        Variation("switching pins off removes the pin that is shown, not the mentions") { story in
            story.say("PINNED_TEXT", ["User1", "p", "Super88"], id: 11)
            story.say(id: 12, more: #","mention":1"#)
            story.updates = []
            try story.settings(
                of: -1_000_000_000_088,
                #""disable_pinned_message_notifications":true,"disable_mention_notifications":true"#
            )
            story.pass(1)
            #expect(story.sent() == ["1: +[] -[1] sound 0 of 1"])
        },
        Variation("switching pins off for all groups does the same") { story in
            story.say("PINNED_TEXT", ["User1", "p", "Super88"], id: 11)
            story.updates = []
            try story.request(
                #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopeGroupChats"},"notification_settings":{"disable_pinned_message_notifications":true}}"#
            )
            story.pass(1)
            #expect(story.sent() == ["1: +[] -[1] sound 0 of 0"])
        },
        Variation("muting removes nothing that is shown") { story in
            story.text("x", id: 11, date: 1)
            story.updates = []
            try story.settings(of: 1, #""mute_for":1000"#)
            story.pass(1)
            #expect(story.sent() == [])
        },
        Variation("the end of an account takes everything from the screen, the oldest first") {
            story in
            for (user, date) in [(1, 1), (2, 2)] { story.text("x", from: user, id: 11, date: date) }
            story.updates = []
            try story.request(#"{"@type":"destroy"}"#)
            #expect(
                story.sent() == ["1: +[] -[1] sound 0 of 1", "2: +[] -[2] sound 0 of 1"])
            #expect(story.engine.account == Account())
        },
        Variation("closing brings what waits") { story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            try story.removeGroup(3, upTo: 3)
            story.updates = []
            try story.request(#"{"@type":"close"}"#)
            #expect(story.sent() == ["1: +[1] -[] sound 0 of 1"])
        },
        Variation("closing brings a message that waits to be read elsewhere") { story in
            try story.request(
                #"{"@type":"bellwire.setOnline","self":false,"others_online_since":1800000160}"#)
            try story.request(
                #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(11 << 20),"chat_id":1,"date":1800000060,"content":{"@type":"messageText"}}}"#
            )
            #expect(story.sent() == [] && story.client.pending?.delayed == true)
            try story.request(#"{"@type":"close"}"#)
            #expect(story.sent() == ["1: +[1] -[] sound -1 of 1"])
            #expect(story.client.pending?.delayed == false)
        },
    ]
}
