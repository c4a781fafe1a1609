import Base
import Testing
@testable import Notifications

@Suite("Keys of Telegram's pushes, one by one")
struct PushKeyTests {
    private func details(_ story: Story) -> [String: String] {
        var all: [String: String] = [:]
        for case .fetchRequired(_, let details) in story.updates {
            for detail in details { all[detail.name] = detail.source }
        }
        return all
    }

    private func pushMessage(_ story: Story) -> PushMessage? {
        guard
            case .newPushMessage(let message) = story.engine.activeGroups.first?.notifications
                .last?.content
        else { return nil }
        return message
    }

    private func json(_ update: Update) throws -> JSONNode {
        var writer = JSONWriter()
        update.write(to: &writer)
        return try JSONDocument(writer.bytes).root
    }

    @Test("An announcement without a number is shown, each time")
    func announcement() {
        var story = Story()
        for _ in 0..<2 {
            story.push(#"{"data":{"loc_key":"MESSAGE_ANNOUNCEMENT","announcement":"News"}}"#)
        }
        #expect(story.engine.activeGroups.first?.totalCount == 2)
        var strict = Story(.strict)
        strict.push(#"{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"News"}"#)
        #expect(strict.shown.isEmpty)
    }

    @Test("A session is revoked by a flat payload with a date, if that is not long ago")
    func revoke() {
        for (age, isDone) in [(5, true), (29 * 86_400, false)] {
            var story = Story()
            story.text("hi", id: 11)
            let date = Int(story.now) - age
            story.push(#"{"loc_key":"SESSION_REVOKE","date":"\#(date)"}"#, level: .mtproto)
            #expect(story.updates.contains(.sessionRevoked) == isDone)
            #expect(story.client.visible.isEmpty == isDone)
        }
    }

    @Test(
        "A message of an unknown kind is shown with the text it carries",
        arguments: [
            ("MESSAGE_HOLOGRAM", #""from_id":1"#, #""title":"Ann","description":"hello""#, "hello"),
            ("MESSAGE_HOLOGRAM", #""from_id":1"#, #""description":"hello""#, "hello"),
            ("MESSAGE_HOLOGRAM", #""from_id":1"#, #""title":"Ann""#, ""),
            (
                "CHAT_MESSAGE_HOLOGRAM", #""chat_id":77,"chat_from_id":1"#,
                #""title":"Ann","description":"hello""#, "hello"
            ),
        ])
    func unknown(key: String, chat: String, words: String, body: String) {
        var story = Story()
        let payload =
            #"{"loc_key":"\#(key)","loc_args":["a","b","c"],\#(words),"custom":{\#(chat),"msg_id":5}}"#
        #expect(story.push(payload) == .ok)
        #expect(pushMessage(story)?.presentation?.body == body)
        #expect(pushMessage(story)?.id == ChatMessageID(server: 5))
        #expect(details(story)["loc_key"] == "\"\(key)\"", "and has to be fetched")
        story.push(payload)
        #expect(story.engine.activeGroups.first?.totalCount == 1, "and is known again")
    }

    @Test("An unknown kind is refused if it has no text, or with the policy strict")
    func refused() {
        let push = { (story: inout Story, words: String) in
            story.push(
                #"{"loc_key":"MESSAGE_HOLOGRAM","loc_args":["a"]\#(words),"custom":{"from_id":1,"msg_id":5}}"#
            )
        }
        let refusal = Outcome.error(code: 400, message: "Push type is unknown")
        var story = Story()
        #expect(push(&story, "") == refusal)
        var strict = Story(.strict)
        #expect(push(&strict, #","description":"hello""#) == refusal)
    }

    @Test("A call carries its server's identifier")
    func callID() throws {
        var story = Story()
        story.push(
            #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":1,"call_id":"8123456789012345678"}}"#
        )
        try story.restart()
        let groups = try json(.activeNotifications(story.engine.activeGroups))["groups"]
        let type = groups?.elements.first?["notifications"]?.elements.first?["type"]
        #expect(type?["bellwire.call_id"]?.text == "8123456789012345678")
        // TDLib's are numbers of 32 bits.
        #expect(type?["call_id"]?.integer.map { $0 > 0 && $0 < 1 << 31 } == true)
    }

    @Test("Fetch details are written again with the received values")
    func details() throws {
        var story = Story()
        story.push(
            #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":1,"call_id":007,"call_ah": -7,"updates":{ "a" : [1,"\u0041"],"a":2}}}"#
        )
        #expect(details(story)["call_id"] == #""007""#, "which is no number of JSON")
        #expect(details(story)["call_ah"] == "-7")
        #expect(details(story)["updates"] == #"{"a":[1,"A"]}"#)
        for update in story.updates { _ = try json(update) }
    }

    @Test("A story whose author is hidden is shown without the documentation's comment")
    func comment() {
        let row = "STORY_HIDDEN_AUTHOR\tA new story was posted (comment: emitted when hidden)\t"
        for table in [TelegramTemplates.english, TelegramTemplates(table: row)] {
            let text = table.text("STORY_HIDDEN_AUTHOR", [], inGroup: false)
            #expect(text?.body == "A new story was posted")
        }
        var story = Story()
        story.push(#"{"loc_key":"STORY_HIDDEN_AUTHOR"}"#)
        #expect(pushMessage(story)?.presentation?.body == "A new story was posted")
    }
}
