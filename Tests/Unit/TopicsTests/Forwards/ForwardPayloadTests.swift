import Base
import Testing

@testable import Topics

@Suite("What the receiver of a forward is sent")
struct ForwardPayloadTests {
    private static let id = TopicMessageID(number: 7_000_000_001)

    private func payload(
        of content: TopicContent, sequence: String? = nil, origin: ForwardOrigin? = nil,
        code: String = ""
    ) -> ForwardPayload {
        let message = TopicMessage(
            id: Self.id, sequence: sequence, time: 1_790_000_000, keptFor: 600, content)
        let forwarded = ForwardedMessage(message, named: "builds", from: origin, code: code)
        return ForwardPayload(forwarded, from: "here", opening: "https://push.example/ui/")
    }

    private func content(_ text: String, title: String = "") -> TopicContent {
        var content = TopicContent()
        (content.title, content.text) = (title, text)
        return content
    }

    private func node(_ bytes: [UInt8]) throws -> JSONNode {
        try #require(JSONNode(json: bytes))
    }

    @Test("In ntfy's form it is the message as streams have it, and where it came from")
    func ntfy() throws {
        var said = content("All is well", title: "Night")
        (said.priority, said.tags, said.click) = (4, ["moon"], "https://ci.example/1")
        let bytes = payload(of: said, sequence: "night").bytes(.ntfy, .usual)
        let root = try node(bytes)
        #expect(root["id"]?.text == Self.id.text)
        #expect(root["sequence_id"]?.text == "night")
        #expect(root["event"]?.text == "message")
        #expect(root["topic"]?.text == "builds")
        #expect(root["title"]?.text == "Night")
        #expect(root["message"]?.text == "All is well")
        #expect(root["priority"]?.integer == 4)
        #expect(root["expires"]?.integer == 1_790_000_600)
        #expect(root["forwarded"]?["server"]?.text == "here")
        #expect(root["forwarded"]?["id"]?.text == Self.id.text)
        #expect(root["forwarded"]?["hops"]?.integer == 1)
        #expect(ForwardOrigin(payload: bytes)?.mayGoOn == true)
    }

    @Test("In the form of the web it has what Safari demands, and nothing that it may not know")
    func web() throws {
        let bytes = payload(of: content("Done"), sequence: "job").bytes(.web, .usual)
        let root = try node(bytes)
        #expect(root["web_push"]?.kind == .number && root["web_push"]?.integer == 8_030)
        let shown = try #require(root["notification"])
        #expect(shown["title"]?.text == "builds")
        #expect(shown["body"]?.text == "Done")
        #expect(shown["navigate"]?.text == "https://push.example/ui/")
        #expect(shown["tag"]?.text == "job")
        #expect(shown["dir"]?.text == "auto")
        #expect(shown["data"]?["id"]?.text == Self.id.text)
        #expect(shown["data"]?["time"]?.kind == .number)
        #expect(
            Set(shown.members.map(\.name)) == [
                "title", "body", "navigate", "tag", "dir", "data",
            ])
    }

    @Test(
        "Whatever the text is, it is cut at a character and fits, and the title stays whole",
        arguments: ForwardForm.allCases, ["x", "ü", "😀", "\"", "\u{7}", "e\u{301}", "\n"])
    func cutting(form: ForwardForm, letter: String) throws {
        let text = String(repeating: letter, count: 4_000)
        let title = String(repeating: "ü", count: 400)
        for size in [ForwardPayload.Size.usual, .small] {
            let bytes = payload(of: content(text, title: title)).bytes(form, size)
            #expect(bytes.count <= (size == .usual ? 3_000 : 1_200))
            let root = try node(bytes)
            let shown = form == .web ? root["notification"] : root
            #expect(shown?["title"]?.text == title)
            guard size == .usual else { continue }
            let body = try #require(shown?[form == .web ? "body" : "message"]?.text)
            #expect(body.hasSuffix("…") && text.hasPrefix(body.dropLast()))
            #expect(bytes.count > 3_000 - 40)
        }
    }

    @Test("What is beside a text goes before the text does, and nothing can make it too long")
    func extras() throws {
        var said = content(String(repeating: "y", count: 1_000))
        var action = TopicAction()
        (action.kind, action.label, action.url) = (.http, "Stop", "https://ci.example/stop")
        action.body = String(repeating: "z", count: 2_900)
        said.actions = [action]
        said.click = "https://ci.example/2"
        let root = try node(payload(of: said).bytes(.ntfy, .usual))
        #expect(root["actions"] == nil)
        #expect(root["message"]?.text == said.text)
        #expect(root["click"]?.text == said.click)

        said.title = String(repeating: "\u{1}", count: 1_024)
        for form in ForwardForm.allCases {
            let bytes = payload(of: said).bytes(form, .small)
            #expect(bytes.count <= 3_992)
            _ = try node(bytes)
        }
    }

    @Test("A part of base64 is not sent")
    func base64() throws {
        var said = content(String(repeating: "QUJD", count: 900))
        said.isBase64 = true
        let root = try node(payload(of: said).bytes(.ntfy, .usual))
        #expect(root["message"] == nil && root["encoding"] == nil)
        said.text = "QUJD"
        #expect(try node(payload(of: said).bytes(.ntfy, .usual))["encoding"]?.text == "base64")
    }

    @Test("A message that was forwarded before keeps its first place, and goes on once")
    func hops() throws {
        let origin = ForwardOrigin(server: "there", id: "abc", hops: 1)
        #expect(origin.mayGoOn)
        let bytes = payload(of: content("x"), origin: origin).bytes(.ntfy, .usual)
        let next = try #require(ForwardOrigin(payload: bytes))
        #expect(next == ForwardOrigin(server: "there", id: "abc", hops: 2))
        #expect(!next.mayGoOn)
    }

    @Test(
        "No other payload counts as forwarded",
        arguments: [
            "", "{}", "text", #"{"forwarded":true}"#, #"{"forwarded":{"server":"a","id":"b"}}"#,
            #"{"forwarded":{"server":"a","id":"b","hops":0}}"#,
            #"{"forwarded":{"server":"","id":"b","hops":1}}"#,
            #"{"forwarded":{"server":"a","id":"b","hops":256}}"#,
            #"[{"forwarded":{"server":"a","id":"b","hops":1}}]"#,
        ])
    func noOrigin(_ text: String) { #expect(ForwardOrigin(payload: Array(text.utf8)) == nil) }

    @Test("What waits in the outbox is read back, and a cut of it never is")
    func stored() throws {
        var said = content("text", title: "title")
        (said.extras, said.priority) = (#"{"a":1}"#, 5)
        let message = TopicMessage(id: Self.id, sequence: "s", time: 5, keptFor: 60, said)
        let origin = ForwardOrigin(server: "there", id: "abc", hops: 1)
        let forwarded = ForwardedMessage(message, named: "builds", from: origin, code: "k")
        let bytes = forwarded.coded
        #expect(ForwardedMessage.decoded(bytes) == forwarded)
        #expect(forwarded.message.content.extras.isEmpty)
        for length in bytes.indices {
            #expect(ForwardedMessage.decoded(Array(bytes[..<length])) == nil)
        }
        said.text = String(repeating: "ü", count: 20_000)
        let long = ForwardedMessage(TopicMessage(id: Self.id, time: 5, said), named: "builds")
        #expect(long.coded.count < 4_300)
    }
}
