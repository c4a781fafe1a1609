import Base
import Testing

@testable import Topics

@Suite("What a request publishes")
struct PublicationTests {
    private func content(
        _ body: String, _ headers: [(name: String, value: String)] = [], query: String = ""
    ) throws -> TopicContent {
        try WrittenRequest(body, headers, query: query).publication().content
    }

    @Test("The body is the text, whatever its type is said to be")
    func text() throws {
        for type in [
            "application/x-www-form-urlencoded", "application/json", "text/plain", "image/png",
        ] {
            let body = #"a=1&b={"topic":"x"}%20\n"#
            #expect(try content(body, [("Content-Type", type)]).text == body)
        }
        #expect(try content(" \n text \r\n").text == "text")
        #expect(try content("a\0b").text == "ab")
    }

    @Test("An empty body leaves the text of the parameter, one of blanks does not")
    func parameter() throws {
        #expect(try content("", [("X-Message", #"one\ntwo\x"#)]).text == "one\ntwo\\x")
        #expect(try content("", query: #"message=one%5Cntwo"#).text == "one\ntwo")
        #expect(try content("body", [("X-Message", "lost")]).text == "body")
        #expect(try content(" \n", [("X-Message", "lost")]).text == "triggered")
        #expect(try content("").text == "triggered")
    }

    @Test("All looks of a message")
    func looks() throws {
        let headers = [
            ("Title", "=?UTF-8?B?QsO8cm8=?="), ("prio", "high"), ("Tags", "a, b"),
            ("Click", "myapp://x"), ("Icon", "http://h/i"), ("md", "1"),
        ]
        let content = try content("m", headers)
        #expect(content.title == "Büro")
        #expect(content.priority == 4)
        #expect(content.tags == ["a", "b"])
        #expect(content.click == "myapp://x")
        #expect(content.icon == "http://h/i")
        #expect(content.isMarkdown)
    }

    @Test(
        "What cannot be done is refused",
        arguments: [
            ("x-priority=9", NtfyRefusal.badPriority), ("icon=h", .badIcon), ("attach=h", .badLink),
            ("email=a@b", .noEmail), ("e=no", .noEmail), ("call=yes", .noCalls),
            ("delay=1h&cache=no", .delayedUnkept), ("sid=a.b", .badSequence),
            ("delay=1h&email=1", .noEmail), ("delay=1h&call=1", .noCalls),
        ])
    func refused(_ query: String, _ refusal: NtfyRefusal) {
        #expect(throws: refusal) { try WrittenRequest("m", query: query).publication() }
    }

    @Test("A title has at most 1,024 bytes")
    func title() throws {
        let title = String(repeating: "ü", count: 512)
        #expect(try content("m", [("X-Title", title)]).title == title)
        #expect(throws: NtfyRefusal.longTitle) { try content("m", [("X-Title", title + "x")]) }
    }

    @Test("A link is an attachment, and a long text beside it is cut")
    func link() throws {
        let names = [
            ("https://h/a/b.png?x=/c#d", "b.png"), ("https://h", "attachment"),
            ("http://h/", "attachment"), ("http://h/a%2Fb/", "b"), ("http://h/%FF", "\u{FFFD}"),
        ]
        for (link, name) in names {
            let content = try content("", [("a", link)])
            #expect(content.attachment?.name == name)
            #expect(content.attachment?.url == link)
            #expect(content.text == "You received a file: " + name)
        }
        let named = try content("text", [("Attach", "https://h/x"), ("Filename", "n")])
        #expect(named.attachment?.name == "n")
        #expect(named.text == "text")
        let long = String(repeating: "x", count: 4_095) + "ü"
        #expect(try content(long, [("a", "https://h/x")]).text.utf8.count == 4_095)
        var request = WrittenRequest("", [("a", "https://h/x")])
        request.body = [0xFF]
        #expect(throws: NtfyRefusal.notText) { try request.publication() }
    }

    @Test("A body with a file name is a file")
    func file() throws {
        let request = WrittenRequest("hello", [("X-Filename", "a.log"), ("X-Message", "m")])
        let publication = try request.publication()
        #expect(publication.upload?.bytes == Array("hello".utf8))
        #expect(publication.upload?.suffix == ".txt")
        #expect(publication.content.text == "m")
        #expect(publication.content.attachment?.name == "a.log")
        #expect(publication.content.attachment?.size == 5)
        #expect(publication.content.attachment?.type == "text/plain; charset=utf-8")
        #expect(try content("x", query: "f=y").text == "You received a file: y")
        #expect(try content("", query: "f=y&m=text").attachment == nil)
    }

    @Test("A text of 4,096 bytes is one, and a longer one is a file")
    func long() throws {
        let text = String(repeating: "ü", count: 2_048)
        #expect(try content(text).text == text)
        let publication = try WrittenRequest(text + "x").publication()
        #expect(publication.content.text == "You received a file: attachment.txt")
        #expect(publication.upload?.bytes.count == 4_097)
        #expect(publication.content.attachment?.name == "attachment.txt")
        var request = WrittenRequest()
        request.body = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
        #expect(try request.publication().content.attachment?.name == "attachment.png")
        request.body = [UInt8](repeating: 0xFF, count: Publication.uploadLimit)
        #expect(try request.publication().upload?.suffix == ".bin")
        request.body.append(0)
        #expect(throws: NtfyRefusal.largeAttachment) { try request.publication() }
    }

    @Test("Without a credential there are texts only, up to 64 KiB")
    func anonymous() throws {
        var request = WrittenRequest(String(repeating: "x", count: 65_536))
        request.mayUpload = false
        #expect(try request.publication().content.text.utf8.count == 65_536)
        request.body.append(0x78)
        #expect(throws: NtfyRefusal.largeAttachment) { try request.publication() }
        request.body = Array(#"{"text":""#.utf8) + request.body + Array(#""}"#.utf8)
        #expect(throws: NtfyRefusal.largeAttachment) { try request.publication() }
        request.body = [0x66, 0xFF]
        #expect(throws: NtfyRefusal.notText) { try request.publication() }
        request = WrittenRequest("text", query: "filename=x")
        request.mayUpload = false
        #expect(try request.publication().content.text == "text")
        #expect(try request.publication().upload == nil)
    }

    @Test("A body for UnifiedPush stays as it is, up to 4,096 bytes")
    func unifiedPush() throws {
        var request = WrittenRequest(" text\n", query: "up=1")
        #expect(try request.publication().content.text == " text\n")
        #expect(try request.publication().isUnifiedPush)
        request.query = ""
        request.headers = [("Content-Encoding", "aes128gcm"), ("X-Filename", "f")]
        request.mayUpload = false
        request.body = [0xFF] + [UInt8](repeating: 0x78, count: 5_000)
        let publication = try request.publication()
        #expect(publication.isUnifiedPush)
        #expect(publication.content.isBase64)
        let bytes = Base64.decode(Array(publication.content.text.utf8))
        #expect(bytes == Array(request.body.prefix(4_096)))
        #expect(publication.content.text.hasSuffix("=="))
        #expect(publication.upload == nil)
        request = WrittenRequest("\u{0}")
        request.topic = "upAbcdefghijkl"
        #expect(try request.publication().isUnifiedPush)
        #expect(try request.publication().content.text == "\0")
        request.topic = "upAbcdefghijk"
        #expect(try request.publication().isUnifiedPush == false)
    }

    @Test("A sequence in the path counts before the others, and delays have their time")
    func ways() throws {
        var request = WrittenRequest("m", [("X-Sequence-ID", "header"), ("In", "1h")])
        #expect(try request.publication().sequence == "header")
        request.sequence = "path"
        let publication = try request.publication()
        #expect(publication.sequence == "path")
        #expect(publication.due == WrittenRequest.now + 3_600)
        #expect(publication.isKept)
        #expect(try WrittenRequest("m", query: "cache=no").publication().isKept == false)
    }

    @Test("A delay is meant by the clock of the sender's zone, or else of this one")
    func zones() throws {
        func due(_ zone: String) throws -> Int64? {
            try WrittenRequest("m", [("At", "tomorrow, 10am"), ("Timezone", zone)]).publication()
                .due
        }
        let here = try #require(try due(""))
        #expect(try due("Etc/East") == here - 3_600)
        for zone in ["Etc/Nowhere", "../../etc/passwd"] {
            let refusal = #expect(throws: NtfyRefusal.self) { try due(zone) }
            #expect(refusal?.code == 40004)
        }
        for (delay, refusal) in [
            ("5s", NtfyRefusal.shortDelay), ("4d", .longDelay), ("soon", .badDelay),
        ] {
            #expect(throws: refusal) { try WrittenRequest("m", [("In", delay)]).publication() }
        }
    }

    @Test("A request to poll has no text of its own and is not kept")
    func poll() throws {
        let publication = try WrittenRequest("body", [("X-Poll-ID", "abc")]).publication()
        #expect(publication.pollID == "abc")
        #expect(publication.content.text == "New message")
        #expect(publication.isKept == false)
        #expect(try WrittenRequest("", query: "poll-id=abc&in=1h").publication().due == nil)
    }

    @Test("What is published becomes a message when it is accepted")
    func message() throws {
        let id = TopicMessageID(number: 5)
        func message(_ query: String) throws -> TopicMessage {
            try WrittenRequest("m", query: query).publication()
                .message(id, now: WrittenRequest.now, keptFor: 100)
        }
        let plain = try message("")
        #expect(
            plain
                == TopicMessage(id: id, time: plain.time, expires: plain.time + 100, plain.content))
        #expect(plain.time == WrittenRequest.now)
        #expect(plain.content.text == "m")
        let delayed = try message("in=1h&sid=s")
        #expect(delayed.time == WrittenRequest.now + 3_600)
        #expect(delayed.expires == delayed.time + 100)
        #expect(delayed.sequence == "s")
        #expect(try message("cache=no").expires == nil)
        let poll = try message("poll-id=p&sid=s")
        #expect(poll.kind == .poll)
        #expect(poll.sequence == "p")
        #expect(poll.expires == nil)
    }

    @Test("A form has texts of known names only")
    func form() throws {
        func form(_ parts: [String]) -> WrittenRequest {
            let body = parts.map { "--b\r\nContent-Disposition: form-data; " + $0 + "\r\n" }
            return WrittenRequest(
                body.joined() + "--b--\r\n",
                [("Content-Type", "multipart/form-data; boundary=b"), ("X-Title", "lost")])
        }
        let message = "name=\"message\"\r\n\r\n text "
        let texts = form([message, "name=title\r\n\r\nT", "name=priority\r\n\r\n5"])
        let content = try texts.publication().content
        #expect(content.text == "text")
        #expect(content.title == "T")
        #expect(content.priority == 5)
        var encrypted = form([message])
        encrypted.query = "up=1"
        #expect(try Array(encrypted.publication().content.text.utf8) == encrypted.body)
        encrypted.query = "filename=x"
        #expect(try encrypted.publication().upload?.bytes == encrypted.body)
        for other in ["name=other\r\n\r\nx", "name=f; filename=x\r\n\r\nx"] {
            let refusal = #expect(throws: NtfyRefusal.self) {
                try form([message, other]).publication()
            }
            #expect(refusal?.code == 40000)
        }
        let upload = #expect(throws: NtfyRefusal.self) {
            try WrittenRequest("x", [("Content-Type", "multipart/form-data; boundary=b")])
                .publication()
        }
        #expect(upload?.code == 40000)
    }

    @Test("Templates make the message of the body")
    func templates() throws {
        let inline = [
            ("X-Template", "yes"), ("X-Title", "{{.a}}"), ("X-Message", "<{{.b}}>"),
            ("X-Priority", "{{.p}}"), ("Tags", "t"),
        ]
        let body = #"{"a":"A","b":"B","p":"high"}"#
        let content = try content(body, inline)
        #expect(content.title == "A")
        #expect(content.text == "<B>")
        #expect(content.priority == 4)
        #expect(content.tags == ["t"])
        for (body, query, refusal) in [
            ("no JSON", "template=1&m=x", NtfyRefusal.templateNeedsJSON),
            ("{}", "template=nothing", .unknownTemplate), ("{}", "tpl=1&m=%7B%7B", .badTemplate),
            ("{}", "tpl=github", .failedTemplate),
        ] {
            #expect(throws: refusal) { try WrittenRequest(body, query: query).publication() }
        }
        // A file is a file, and the title beside it is text.
        let file = try self.content(body, inline + [("Filename", "f")])
        #expect(file.title == "{{.a}}")
        #expect(file.attachment?.name == "f")
    }

    private let push =
        #"{"ref":"refs/heads/main","commits":[{"message":"Fix"}],"pusher":{"name":"P"},"#
        + #""repository":{"full_name":"o/r"},"sender":{"login":"l"}}"#

    @Test("JSON of a known service is understood, unless it is to be text")
    func services() throws {
        let type = ("Content-Type", "application/json")
        let json = #"{"message":"m","title":"T","priority":8}"#
        let plain = try content(json, [type])
        #expect(plain.text == "m")
        #expect(plain.title == "T")
        #expect(plain.gotifyPriority == 8)
        let said = try content(json, [type, ("X-Title", "S"), ("p", "1"), ("Icon", "https://i")])
        #expect(said.title == "S")
        #expect(said.ntfyPriority == 1)
        #expect(said.icon == "https://i")
        #expect(try content(json, [type], query: "raw=1").text == json)
        #expect(try content(json, []).text == json)
        #expect(try content(json + "{", [type]).text == json + "{")
        var request = WrittenRequest(json, [type])
        request.isRaw = true
        #expect(try request.publication().content.text == json)
        let news = try content(push, [type, ("X-GitHub-Event", "push")])
        #expect(news.text != push)
        #expect(try content(push, [type], query: "x-github-event=push").text == push)
        let title = String(repeating: "x", count: 1_030)
        let long = #"{"message":"m","title":"\#(title)","priority":8}"#
        #expect(try content(long, [type]).title.utf8.count == 1_024)
        // The type of a body for `/` says nothing about the text in it.
        request = WrittenRequest(#"{"topic":"t","message":\#(JSONText.quoted(json))}"#, [type])
        #expect(try request.publicationOfJSON().content.text == json)
    }

    @Test("Buttons come from a field or from JSON")
    func actions() throws {
        #expect(try content("m", [("Actions", "view, Open, https://h")]).actions.count == 1)
        let json = #"{"topic":"t","actions":[{"action":"view","label":"L","url":"https://h"}]}"#
        let request = WrittenRequest(json, [("X-Actions", "lost")])
        #expect(try request.publicationOfJSON().content.actions.map(\.label) == ["L"])
    }

    @Test("Nothing of what is published is printed")
    func confidential() throws {
        #expect("\(try WrittenRequest("secret").publication())" == "<Publication>")
    }
}
