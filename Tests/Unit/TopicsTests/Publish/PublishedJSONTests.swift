import Base
import Testing

@testable import Topics

@Suite("JSON that is published")
struct PublishedJSONTests {
    private func publication(
        _ json: String, _ headers: [(name: String, value: String)] = []
    ) throws -> Publication {
        try WrittenRequest(json, headers).publicationOfJSON()
    }

    @Test("Every member has its meaning")
    func all() throws {
        let json = """
            {"topic": "t", "message": " text ", "title": "T", "tags": ["a", null, "b,c"],
             "priority": 4, "click": "mailto:a@b", "icon": "https://h/i.png", "markdown": true,
             "attach": "http://h/x/file%20name.jpg?q=1", "sequence_id": "s-1", "cache": "no",
             "firebase": "no", "timezone": "UTC", "unknown": {"a": [1]}}
            """
        var content = TopicContent()
        (content.title, content.text, content.priority) = ("T", "text", 4)
        (content.tags, content.click) = (["a", "b", "c"], "mailto:a@b")
        (content.icon, content.isMarkdown) = ("https://h/i.png", true)
        var attachment = TopicAttachment()
        attachment.name = "file name.jpg"
        attachment.url = "http://h/x/file%20name.jpg?q=1"
        content.attachment = attachment
        let publication = try publication(json)
        #expect(publication.content == content)
        #expect(publication.sequence == "s-1")
        #expect(publication.isKept == false)
        var fields = NtfyFields()
        #expect(try fields.record(json: Array(json.utf8)).topic.text == "t")
    }

    @Test("null says nothing, as clients send it for everything that is unset")
    func nulls() throws {
        let publication = try publication(
            """
            {"topic": "t", "message": null, "title": null, "tags": null, "priority": null,
             "click": null, "attach": null, "icon": null, "filename": null, "delay": null,
             "email": null, "call": null, "actions": null, "markdown": null, "cache": null,
             "firebase": null, "sequence_id": null, "timezone": null}
            """)
        var content = TopicContent()
        content.text = "triggered"
        #expect(publication.content == content)
        #expect(publication.isKept)
        #expect(publication.sequence == nil)
        #expect(publication.due == nil)
    }

    @Test("Members count before header fields, which count where there is no member")
    func merged() throws {
        let headers = [
            ("X-Title", "header"), ("X-Priority", "high"), ("X-Tags", "x"), ("X-Markdown", "yes"),
            ("X-Icon", "https://h/i"), ("X-Message", "lost"),
        ]
        let merged = try publication(
            #"{"topic":"t","title":"JSON","message":"m","priority":0,"tags":[]}"#, headers)
        #expect(merged.content.title == "JSON")
        #expect(merged.content.text == "m")
        #expect(merged.content.priority == 4)
        #expect(merged.content.tags == ["x"])
        #expect(merged.content.icon == "https://h/i")
        #expect(merged.content.isMarkdown)
        #expect(try publication(#"{"topic":"t","priority":2}"#, headers).content.priority == 2)
    }

    @Test("A priority may be text, and then a word too")
    func priority() throws {
        #expect(try publication(#"{"topic":"t","priority":"4"}"#).content.priority == 4)
        #expect(try publication(#"{"topic":"t","priority":"max"}"#).content.priority == 5)
        #expect(throws: NtfyRefusal.badPriority) {
            try publication(#"{"topic":"t","priority":6}"#)
        }
    }

    @Test("A backslash and an n stay what they are")
    func lines() throws {
        #expect(try publication(#"{"topic":"t","message":"a\\nb"}"#).content.text == #"a\nb"#)
        #expect(try publication(#"{"topic":"t","message":"a\nb\u0000"}"#).content.text == "a\nb")
    }

    @Test(
        "What is no such JSON is refused",
        arguments: [
            ("", NtfyRefusal.badJSON), ("text", .badJSON), ("[]", .badJSON), ("{", .badJSON),
            (#"{"topic":"t"} x"#, .badJSON), (#"{"topic":1}"#, .badJSON),
            (#"{"topic":"t","message":1}"#, .badJSON), (#"{"topic":"t","tags":"a"}"#, .badJSON),
            (#"{"topic":"t","tags":[1]}"#, .badJSON), (#"{"topic":"t","cache":false}"#, .badJSON),
            (#"{"topic":"t","firebase":true}"#, .badJSON),
            (#"{"topic":"t","markdown":"yes"}"#, .badJSON),
            (#"{"topic":"t","priority":1.5}"#, .badJSON),
            (#"{"topic":"t","priority":true}"#, .badJSON),
            (#"{"topic":"t","actions":"x"}"#, .badJSON), (#"{"topic":"t","delay":5}"#, .badJSON),
            (#"{}"#, .badTopic), (#"{"topic":null}"#, .badTopic), (#"{"topic":"a/b"}"#, .badTopic),
            (#"{"topic":""}"#, .badTopic), (#"{"topic":"a,b"}"#, .badTopic),
            (#"{"topic":"v1"}"#, .reservedTopic),
            (#"{"topic":"t","sequence_id":"a b"}"#, .badSequence),
            (#"{"topic":"t","icon":"data:x"}"#, .badIcon),
            (#"{"topic":"t","attach":"ftp://x"}"#, .badLink),
            (#"{"topic":"t","email":"a@b"}"#, .noEmail), (#"{"topic":"t","call":"yes"}"#, .noCalls),
        ])
    func refused(_ json: String, _ refusal: NtfyRefusal) {
        #expect(throws: refusal) { try publication(json) }
    }

    @Test("The limit counts bytes before they are decoded")
    func limit() throws {
        let start = #"{"topic":"t","message":""#
        let rest = PublishedJSON.limit - start.utf8.count - 2
        let escapes = String(repeating: #"\u0436"#, count: rest / 6)
        let full = start + escapes + String(repeating: "x", count: rest % 6) + "\"}"
        #expect(full.utf8.count == 8_192)
        #expect(try publication(full).content.text.hasPrefix("ж"))
        #expect(throws: NtfyRefusal.largeJSON) { try publication(full + " ") }
    }

    @Test("A long message becomes a file, or stays text without a credential")
    func long() throws {
        let text = String(repeating: "x", count: 4_097)
        var request = WrittenRequest(#"{"topic":"t","message":"\#(text)"}"#)
        #expect(try request.publicationOfJSON().upload?.bytes.count == 4_097)
        request.mayUpload = false
        #expect(try request.publicationOfJSON().content.text == text)
    }

    @Test("Any cut of a body is read or refused")
    func cuts() {
        let json = Array(#"{"topic":"t","tags":["a"],"priority":"\u0034","actions":[]}"#.utf8)
        for length in json.indices {
            var fields = NtfyFields()
            #expect(throws: NtfyRefusal.badJSON) { try fields.record(json: Array(json[..<length])) }
        }
    }
}
