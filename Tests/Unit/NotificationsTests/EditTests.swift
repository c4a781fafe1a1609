import Testing

@testable import Notifications

@Suite("Edits that come by push")
struct EditTests {
    @Test("An edit of a mention changes the mention")
    func mention() {
        var story = Story()
        story.say(id: 11)
        story.say(id: 12, more: #","mention":1"#)
        story.say(
            "CHAT_MESSAGE_TEXT", ["User1", "Super88", "changed"], id: 12,
            more: #","mention":1,"edit_date":1"#)
        #expect(Set(story.shown) == [["hi"], ["changed"]])
        #expect(story.client.visible == Client.visible(story.engine))
    }

    @Test("What is edited while notifications are off comes back in its new words")
    func asleep() throws {
        var story = Story()
        for id in [11, 12] { story.text("m\(id)", id: id) }
        try story.set("notification_group_count_max", "0")
        story.push(
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["User1","changed"],"custom":{"from_id":"1","msg_id":"11","edit_date":1}}"#
        )
        #expect(story.shown.isEmpty)
        try story.set("notification_group_count_max", "5")
        try story.restart()
        #expect(story.shown == [["changed", "m12"]])
    }
}
