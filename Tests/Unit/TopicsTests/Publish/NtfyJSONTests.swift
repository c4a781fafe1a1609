import Base
import Testing

@testable import Topics

@Suite("What ntfy's readers are told")
struct NtfyJSONTests {
    private let id: TopicMessageID
    private let topic: TopicName

    init() throws {
        id = try #require(TopicMessageID("Abcdefghij12"))
        topic = try #require(TopicName("builds"))
    }

    private func json(_ message: TopicMessage, isOnWebSocket: Bool = false) -> String {
        let bytes = NtfyJSON.message(message, topic: topic, isOnWebSocket: isOnWebSocket)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A plain message has only what it says")
    func plain() {
        var content = TopicContent()
        content.text = "a <b> & \"c\"\n\u{1}"
        let message = TopicMessage(id: id, time: 1_700_000_000, expires: 1_700_043_200, content)
        let start = #"{"id":"Abcdefghij12","#
        let rest =
            #""time":1700000000,"expires":1700043200,"event":"message","topic":"builds","#
            + #""message":"a <b> & \"c\"\n\u0001"}"#
        #expect(json(message) == start + rest)
        let named = start + #""sequence_id":"Abcdefghij12","# + rest
        #expect(json(message, isOnWebSocket: true) == named)
    }

    @Test("Everything that a message can have, in order")
    func all() {
        var content = TopicContent()
        (content.title, content.text, content.priority) = ("T", "m", 5)
        (content.tags, content.click, content.icon) = (["a", "b"], "c:", "https://i")
        (content.isMarkdown, content.isBase64) = (true, true)
        var action = TopicAction()
        (action.id, action.kind, action.label, action.clears) = ("0123456789", .http, "L", true)
        (action.url, action.method, action.body) = ("https://u", "PUT", "b")
        action.headers = [TopicAction.Pair("A", "1")]
        var other = TopicAction()
        (other.kind, other.intent, other.value) = (.broadcast, "i", "v")
        other.extras = [TopicAction.Pair("e", "\"")]
        content.actions = [action, other]
        var attachment = TopicAttachment()
        (attachment.name, attachment.url, attachment.type) = ("n", "https://f", "image/png")
        (attachment.size, attachment.expires) = (3, 9)
        content.attachment = attachment
        let message = TopicMessage(id: id, sequence: "s", time: 1, content)
        #expect(
            json(message) == #"{"id":"Abcdefghij12","sequence_id":"s","time":1,"event":"message","#
                + #""topic":"builds","title":"T","message":"m","priority":5,"tags":["a","b"],"#
                + #""click":"c:","icon":"https://i","actions":[{"id":"0123456789","action":"http","#
                + #""label":"L","clear":true,"url":"https://u","method":"PUT","headers":{"A":"1"},"#
                + #""body":"b"},{"id":"","action":"broadcast","label":"","clear":false,"#
                + #""intent":"i","extras":{"e":"\""},"value":"v"}],"attachment":{"name":"n","#
                + #""type":"image/png","size":3,"expires":9,"url":"https://f"},"#
                + #""content_type":"text/markdown","encoding":"base64"}"#)
    }

    @Test("A link has only its name and address")
    func link() {
        var content = TopicContent()
        var attachment = TopicAttachment()
        (attachment.name, attachment.url) = ("n", "https://f")
        content.attachment = attachment
        let text = json(TopicMessage(id: id, time: 1, content))
        #expect(text.hasSuffix(#""attachment":{"name":"n","url":"https://f"}}"#))
    }

    @Test("Events that end a notification name its sequence")
    func ends() {
        for (kind, event) in [(.delete, "message_delete"), (.clear, "message_clear")]
            as [(TopicMessage.Kind, String)]
        {
            let message = TopicMessage(id: id, kind, sequence: "s", time: 1, expires: 2)
            #expect(
                json(message) == #"{"id":"Abcdefghij12","sequence_id":"s","time":1,"expires":2,"#
                    + #""event":"\#(event)","topic":"builds"}"#)
        }
        var content = TopicContent()
        content.text = "New message"
        #expect(
            json(TopicMessage(id: id, .poll, sequence: "p", time: 1, content), isOnWebSocket: true)
                == #"{"id":"Abcdefghij12","poll_id":"p","time":1,"event":"poll_request","#
                + #""topic":"builds","message":"New message"}"#)
    }

    @Test("A stream opens and stays alive with the topics as they were asked for")
    func events() {
        let open = NtfyJSON.event(.open, id, time: 5, topics: "a,b")
        #expect(
            String(decoding: open, as: UTF8.self)
                == #"{"id":"Abcdefghij12","time":5,"event":"open","topic":"a,b"}"#)
        let alive = NtfyJSON.event(.keepalive, id, time: 5, topics: "a")
        #expect(String(decoding: alive, as: UTF8.self).contains(#""event":"keepalive""#))
    }

    @Test(
        "A Gotify sender's number is one of the five priorities, or none",
        arguments: [
            (-3, 1), (0, 0), (1, 2), (3, 2), (4, 3), (7, 3), (8, 4), (9, 4), (10, 5), (99, 5),
        ])
    func gotify(_ number: Int64, _ priority: Int) {
        var content = TopicContent()
        content.gotifyPriority = number
        let text = json(TopicMessage(id: id, time: 1, content))
        #expect(text.contains("\"priority\":\(priority)") == (priority > 0))
        #expect(text.contains("priority") == (priority > 0))
    }

    @Test("A refusal has the members that strict clients take, and no others")
    func refusals() {
        func text(_ refusal: NtfyRefusal) -> String {
            String(decoding: refusal.json, as: UTF8.self)
        }
        #expect(
            text(.notFound) == #"{"code":40401,"http":404,"error":"page not found"}"#)
        #expect(text(.forbidden) == #"{"code":40301,"http":403,"error":"forbidden"}"#)
        let actions = NtfyRefusal.badActions.because("too many")
        #expect(text(actions) == #"{"code":40018,"http":400,"error":"invalid actions; too many"}"#)
        #expect(NtfyRefusal.largeJSON.http == 413)
        #expect(NtfyRefusal.noSubscriber.http == 507)
        #expect(NtfyRefusal.tooManyRequests.http == 429)
    }
}
