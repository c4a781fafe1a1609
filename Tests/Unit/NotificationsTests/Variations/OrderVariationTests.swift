import Testing

@testable import Notifications

@Suite("Variations: ids, order, counts")
struct OrderVariationTests {
    @Test("Groups take their place, lose it and come back", arguments: orderRules)
    func order(_ variation: Variation) throws { try variation.run() }

    @Test("A group holds as many as it may, and counts all", arguments: sizesRules)
    func sizes(_ variation: Variation) throws { try variation.run() }

    @Test("Restarts", arguments: startsRules)
    func starts(_ variation: Variation) throws { try variation.run() }

    private static let orderRules: [Variation] = [
        Variation("among equal dates the greater chat comes first") { story in
            story.text("a", from: 3, id: 11, date: 1)
            story.text("b", from: 2, id: 11, date: 1)
            story.updates = []
            story.text("c", from: 1, id: 11, date: 1)
            #expect(story.sent() == [], "it has the last place of three")
            story.text("d", from: 4, id: 11, date: 1)
            #expect(
                story.sent() == ["2: +[] -[2] sound 0 of 1", "4: +[4] -[] sound -1 of 1"])
        },
        Variation("a late push with an old date may stay hidden at once, and is answered") {
            story in
            story.text("a", from: 1, id: 11, date: 5)
            story.text("b", from: 2, id: 11, date: 6)
            story.updates = []
            #expect(story.text("c", from: 3, id: 11, date: 1) == .ok)
            #expect(story.sent() == [])
        },
        Variation("a hidden group that gets news shows its old ones first, without a sound") {
            story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            story.updates = []
            story.text("y", from: 1, id: 12, date: 4)
            #expect(
                story.sent() == [
                    "2: +[] -[2] sound 0 of 1", "1: +[1] -[] sound 0 of 1",
                    "1: +[4] -[] sound -1 of 2",
                ])
        },
        Variation("a silent push into a hidden group makes one update of old and new") { story in
            for (user, date) in [(1, 1), (2, 2), (3, 3)] {
                story.text("x", from: user, id: 11, date: date)
            }
            story.updates = []
            story.push(
                #"{"date":1800000004,"data":{"loc_key":"MESSAGE_TEXT","loc_args":["U","y"],"custom":{"from_id":1,"msg_id":12,"silent":1}}}"#
            )
            #expect(story.sent() == ["2: +[] -[2] sound 0 of 1", "1: +[1, 4] -[] sound 0 of 2"])
        },
        Variation("when the newest goes and the group falls behind, another takes its place") {
            story in
            for (user, date) in [(1, 1), (2, 5), (3, 6), (1, 9)] {
                story.text("x", from: user, id: 10 + date, date: date)
            }
            story.updates = []
            try story.remove(4, group: 1)
            story.pass(1)
            #expect(
                story.sent() == ["1: +[] -[1, 4] sound 0 of 2", "2: +[2] -[] sound 0 of 1"])
        },
        Variation("a dismissed group lets the next one in, with its newest") { story in
            for id in 11...13 { story.text("x", from: 1, id: id, date: 1) }
            story.text("x", from: 2, id: 11, date: 2)
            story.text("x", from: 3, id: 11, date: 3)
            story.updates = []
            try story.removeGroup(3, upTo: 99)
            story.pass(1)
            #expect(
                story.sent() == ["3: +[] -[5] sound 0 of 1", "1: +[2, 3] -[] sound 0 of 3"])
        },
        Variation("more groups: those that were hidden appear without a sound") { story in
            for user in 1...4 { story.text("x", from: user, id: 11, date: user) }
            story.updates = []
            try story.set("notification_group_count_max", "3")
            #expect(story.sent() == ["2: +[2] -[] sound 0 of 1"])
        },
        Variation("fewer groups: the oldest disappear") { story in
            for user in 1...2 { story.text("x", from: user, id: 11, date: user) }
            story.updates = []
            try story.set("notification_group_count_max", "1")
            #expect(story.sent() == ["1: +[] -[1] sound 0 of 1"])
        },
        Variation("no groups: everything goes, and is not there when groups are wanted again") {
            story in
            story.text("x", id: 11, date: 1)
            try story.set("notification_group_count_max", "0")
            story.updates = []
            try story.set("notification_group_count_max", "2")
            #expect(story.sent() == [])
            story.text("y", id: 12, date: 2)
            #expect(story.sent() == ["1: +[2] -[] sound -1 of 1"])
        },
        Variation("a group gets its id with its first notification, even while none is wanted") {
            story in
            try story.set("notification_group_count_max", "0")
            story.text("x", from: 1, id: 11, date: 1)
            try story.set("notification_group_count_max", "2")
            story.updates = []
            story.text("y", from: 2, id: 11, date: 1)
            story.text("z", from: 1, id: 12, date: 2)
            #expect(
                story.sent() == ["2: +[1] -[] sound -1 of 1", "1: +[2] -[] sound -1 of 1"])
        },
        Variation("messages and mentions of a chat are two groups, by their dates") { story in
            story.say(id: 11)
            story.say(id: 12, date: 2, more: #","mention":"1""#)
            #expect(
                story.sent() == [
                    "1: +[1] -[] sound -1 of 1", "2: +[2] -[] sound -1 of 1 by 1",
                ])
            #expect(story.engine.activeGroups.map(\.id) == [2, 1])
        },
    ]

    private static let sizesRules: [Variation] = [
        Variation("the update that adds one too many removes the oldest") { story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            #expect(story.sent().last == "1: +[3] -[1] sound -1 of 3")
        },
        Variation("a removed one lets the next older back, without a sound") { story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            story.updates = []
            try story.remove(2, group: 1)
            #expect(story.sent() == ["1: +[1] -[2] sound 0 of 3"])
        },
        Variation("removing a hidden one is not told, and it does not come back") { story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            story.updates = []
            try story.remove(1, group: 1)
            #expect(story.sent() == [])
            try story.remove(3, group: 1)
            #expect(story.sent() == ["1: +[] -[3] sound 0 of 3"])
        },
        Variation("a smaller size removes the difference at once, a greater one brings it back") {
            story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            story.updates = []
            try story.set("notification_group_size_max", "1")
            #expect(story.sent() == ["1: +[] -[2] sound 0 of 3"])
            try story.set("notification_group_size_max", "25")
            #expect(story.sent() == ["1: +[1, 2] -[] sound 0 of 3"])
        },
        Variation("an option out of its range is refused in TDLib's words") { story in
            for (value, limit) in [("0", "[1, 25]"), ("26", "[1, 25]")] {
                let outcome = try story.set("notification_group_size_max", value)
                let message =
                    "Option's \"notification_group_size_max\" value \(value) is outside of the valid "
                    + "range \(limit)"
                #expect(outcome == .error(code: 400, message: message))
            }
            for value in ["-1", "26"] {
                let outcome = try story.set("notification_group_count_max", value)
                let message =
                    "Option's \"notification_group_count_max\" value \(value) is outside of the "
                    + "valid range [0, 25]"
                #expect(outcome == .error(code: 400, message: message))
            }
            for name in ["count", "size"] {
                #expect(try story.set("notification_group_\(name)_max", "25") == .ok)
            }
        },
        Variation("an empty size is ten") { story in
            try story.request(
                #"{"@type":"setOption","name":"notification_group_size_max","value":{"@type":"optionValueEmpty"}}"#
            )
            #expect(story.engine.account.groupSizeMax == 10)
        },
        Variation("with a size of two seven are kept, and cut when there are eighteen") { story in
            for id in 1...17 { story.text("x", id: id, date: id) }
            #expect(story.engine.account.groups[1]?.notifications.count == 17)
            story.text("x", id: 18, date: 18)
            #expect(story.engine.account.groups[1]?.notifications.map(\.id) == Array(12...18))
            #expect(story.engine.account.groups[1]?.totalCount == 18)
        },
        Variation("ids grow across groups, also of those that are hidden") { story in
            for (user, date) in [(1, 5), (2, 6), (3, 1), (4, 7)] {
                story.text("x", from: user, id: 11, date: date)
            }
            #expect(story.engine.account.lastNotificationID == 4)
            #expect(story.engine.account.lastGroupID == 4)
        },
    ]

    private static let startsRules: [Variation] = [
        Variation("a start brings back what was shown, under its ids, counted anew") { story in
            for id in 11...13 { story.text("x", id: id, date: id) }
            try story.remove(3, group: 1)
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active 1: [1, 2] of 2"])
        },
        Variation("a group whose notifications were all dismissed is gone after a start") { story in
            story.text("x", id: 11, date: 1)
            try story.removeGroup(1, upTo: 1)
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active "])
        },
        Variation("what moves at a start gets its group in the order in which it came") { story in
            let basic = #""chat_id":"77""#
            story.say(id: 11, more: #","mention":"1""#)
            story.say(id: 11, chat: basic, more: #","mention":"1""#)
            story.say(id: 12, more: #","mention":"1""#)
            try story.remove(1, group: 1)
            for chat in [-1_000_000_000_088, -77] {
                try story.settings(of: chat, #""disable_mention_notifications":true"#)
            }
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active 3: [2] of 1, 4: [3] of 1"])
        },
        Variation("a start with the interface off says nothing, and loses the first") { story in
            for id in 10...11 { story.text("x", id: id, date: 1) }
            story.engine.account.options[OptionName.groupCountMax] = .integer(0)
            story.updates = []
            try story.restart()
            #expect(story.sent() == [])
            story.engine.account.options[OptionName.groupCountMax] = .integer(2)
            try story.restart()
            #expect(story.sent() == ["active 1: [2] of 1"])
        },
        Variation("after such a start what was kept comes with another only") { story in
            for id in 10...11 { story.text("x", id: id, date: 1) }
            story.engine.account.options[OptionName.groupCountMax] = .integer(0)
            try story.restart()
            story.updates = []
            try story.set("notification_group_count_max", "2")
            #expect(story.sent() == [])
            try story.restart()
            #expect(story.sent() == ["active 1: [2] of 1"])
        },
        Variation("a start judges what was kept anew: muted, scheduled, mentions") { story in
            story.text("x", from: 1, id: 11, date: 5)
            story.say(from: 2, id: 11, date: 4, more: #","mention":"1""#)
            story.say(id: 12, date: 3)
            story.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","s"],"custom":{"from_id":3,"msg_id":11,"schedule":1}}"#
            )
            try story.settings(of: 1, #""mute_for":100"#)
            try story.settings(of: -1_000_000_000_088, #""disable_mention_notifications":true"#)
            try story.request(
                #"{"@type":"setOption","name":"disable_sent_scheduled_message_notifications","value":{"@type":"optionValueBoolean","value":true}}"#
            )
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active 3: [2, 3] of 2"])
            try story.settings(of: 1, #""mute_for":0"#)
            try story.settings(of: -1_000_000_000_088, #""disable_mention_notifications":false"#)
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active 2: [2] of 1, 3: [3] of 1"])
        },
        Variation("identifiers begin anew where that was asked for, but no group's twice") {
            story in
            story.text("x", from: 1, id: 11, date: 1)
            story.text("x", from: 2, id: 11, date: 2)
            try story.set("drop_notification_ids", "1")
            try story.restart()
            story.updates = []
            story.text("y", from: 3, id: 11, date: 0)
            story.text("y", from: 1, id: 12, date: 3)
            #expect(story.sent() == ["1: +[2] -[] sound -1 of 2"])
            #expect(story.engine.account.groups[3]?.notifications.map(\.id) == [1])
        },
        Variation("an identifier that is given after that keeps the count") { story in
            story.text("x", from: 1, id: 11, date: 1)
            try story.set("drop_notification_ids", "1")
            story.text("y", from: 1, id: 12, date: 2)
            try story.restart()
            story.updates = []
            story.text("y", from: 2, id: 11, date: 3)
            #expect(story.sent() == ["2: +[3] -[] sound -1 of 1"])
        },
        Variation("what was put to sleep wakes with the next start") { story in
            story.text("x", id: 11, date: 1)
            try story.set("notification_group_count_max", "0")
            story.engine.account.options[OptionName.groupCountMax] = .integer(2)
            story.updates = []
            try story.restart()
            #expect(story.sent() == ["active 1: [1] of 1"])
        },
        Variation("an edit, the silent flag and the last message survive a start") { story in
            story.say(id: 11, more: #","silent":"1""#)
            story.say(id: 11, more: #","edit_date":1"#)
            try story.restart()
            let shown = try #require(story.engine.activeGroups.first?.notifications.first)
            #expect(shown.isSilent)
            story.updates = []
            story.say(id: 11)
            #expect(story.sent() == [], "it is known")
        },
        Variation("a start with a smaller size forgets what is far too much") { story in
            try story.set("notification_group_size_max", "25")
            for id in 1...30 { story.text("x", id: id, date: id) }
            story.engine.account.options[OptionName.groupSizeMax] = .integer(1)
            try story.restart()
            #expect(story.engine.account.groups[1]?.notifications.map(\.id) == Array(25...30))
        },
    ]
}
