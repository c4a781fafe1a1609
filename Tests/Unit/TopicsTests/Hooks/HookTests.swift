import Base
import Testing

@testable import Topics

@Suite("Webhooks in the place of Slack's and Discord's")
struct HookTests {
    private static func route(_ path: String) -> HookRoute? {
        HookRoute(path: Array(path.utf8).span)
    }

    @Test("The path says whose answers are expected, and whose messages come")
    func routes() {
        let slack = Self.route("/hooks/slack/tk_1")
        #expect(slack?.face == .slack && slack?.form == .slack && slack?.token == "tk_1")
        for (path, form) in [
            ("/hooks/discord/A1", HookRoute.Form.discord), ("/hooks/discord/A1/", .discord),
            ("/hooks/discord/A1/slack", .slack), ("/hooks/discord/A1/github", .github),
        ] {
            let route = Self.route(path)
            #expect(route?.face == .discord && route?.form == form && route?.token == "A1")
        }
        for path in [
            "/hooks/slack", "/hooks/slack/", "/hooks/slack/a/slack", "/hooks/discord/a/discord",
            "/hooks/discord/a/x", "/hooks/discord/a/slack/b",
        ] {
            let route = Self.route(path)
            #expect(route != nil && route?.form == nil, "\(path)")
        }
        let long = "/hooks/slack/" + String(repeating: "x", count: 600)
        for path in ["/hooks", "/hooks/", "/hooks/teams/a", "/hook/slack/a", "/", "", long] {
            #expect(Self.route(path) == nil, "\(path)")
        }
        #expect(Self.route(HookRoute.path(.discord, "tk_1")) == Self.route("/hooks/discord/tk_1"))
    }

    private static func terms(_ pattern: String, _ rights: TopicRights = .usual) throws
        -> TokenTerms
    {
        TokenTerms(.access, try #require(TopicPattern(pattern)), rights)
    }

    @Test("The topic is the address's, else the token's, else the sender's")
    func topics() throws {
        for (pattern, query, channel, name) in [
            ("builds", "", "", "builds"), ("builds", "", "#other", "builds"),
            ("builds", "other", "", "other"), ("*", "nas", "#other", "nas"),
            ("*", "", "#nas", "nas"), ("*", "", "@ann", "ann"), ("nas-*", "", "nas-1", "nas-1"),
        ] {
            let terms = try Self.terms(pattern)
            #expect(try terms.topic(named: query, channel: channel).text == name)
        }
        for (pattern, query, channel) in [
            ("*", "", ""), ("*", "", "#"), ("*", "", "two words"), ("*", "a b", "#c"),
            ("*", "", "##a"), ("status", "", ""), ("*", "ui", ""), ("*", "upabcdefghijkl", ""),
        ] {
            let terms = try Self.terms(pattern)
            #expect(throws: HookRefusal.noTopic) {
                try terms.topic(named: query, channel: channel)
            }
        }
        #expect(try Self.terms("builds").onlyTopic?.text == "builds")
        #expect(try Self.terms("builds", .read).onlyTopic == nil)
        #expect(try Self.terms("b*").onlyTopic == nil && Self.terms("ui").onlyTopic == nil)
    }

    private static func sent(
        _ form: HookRoute.Form, _ body: String, type: String = "application/json",
        mayUpload: Bool = true
    ) throws(HookRefusal) -> HookMessage {
        try HookMessage(
            form, type: type, Array(body.utf8), event: "push", mayUpload: mayUpload)
    }

    private static func multipart(_ parts: [(disposition: String, value: String)]) -> String {
        parts.map { "--b\r\nContent-Disposition: form-data; \($0)\r\n\r\n\($1)\r\n" }.joined()
            + "--b--\r\n"
    }

    @Test("JSON, forms with JSON in them, and forms of texts say the same")
    func bodies() throws {
        let (form, multi) = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=b")
        for type in ["application/json", "text/plain", form, ""] {
            let message = try Self.sent(.slack, ##" {"text":"a b","channel":"#c"}"##, type: type)
            #expect(message.publication.content.text == "a b" && message.channel == "#c")
        }
        let encoded = "x=1&payload=%7B%22text%22%3A%22a+b%22%7D"
        #expect(try Self.sent(.slack, encoded, type: form).publication.content.text == "a b")
        #expect(
            try Self.sent(.discord, "content=a+b&username=u", type: form).publication.content.title
                == "u")
        let parts = Self.multipart([(#"name="payload_json""#, #"{"content":"a b"}"#)])
        #expect(try Self.sent(.discord, parts, type: multi).publication.content.text == "a b")
        let texts = Self.multipart([(#"name="content""#, "a b")])
        #expect(try Self.sent(.discord, texts, type: multi).publication.content.text == "a b")
        #expect(try Self.sent(.discord, #"{"content":"a","channel":"c"}"#).channel.isEmpty)
        let push = #"{"ref":"refs/heads/main","repository":{"full_name":"a/b"},"commits":[]}"#
        #expect(try !Self.sent(.github, push).publication.content.title.isEmpty)
    }

    @Test("A file comes along, where files are kept")
    func files() throws {
        let type = "multipart/form-data; boundary=b"
        let body = Self.multipart([
            (#"name="payload_json""#, #"{"content":"a"}"#),
            (#"name="files[0]"; filename="a.txt""#, "file"),
        ])
        let publication = try Self.sent(.discord, body, type: type).publication
        #expect(publication.upload?.bytes == Array("file".utf8))
        #expect(publication.content.attachment?.name == "a.txt" && publication.content.text == "a")
        let without = try Self.sent(.discord, body, type: type, mayUpload: false).publication
        #expect(without.upload == nil && without.content.attachment == nil)
        let only = Self.multipart([(#"name="file"; filename="a.txt""#, "file")])
        let text = try Self.sent(.discord, only, type: type).publication.content.text
        #expect(text == "You received a file: a.txt")
        #expect(throws: HookRefusal.empty) {
            try Self.sent(.discord, only, type: type, mayUpload: false)
        }
    }

    @Test("What cannot be read, and what says nothing")
    func refusals() {
        for body in ["", "x", "[]", "{", "payload=x", "payload=%5B%5D", "a=b"] {
            for form in [HookRoute.Form.slack, .discord, .github] {
                #expect(throws: HookRefusal.unreadable) {
                    try Self.sent(form, body, type: "application/x-www-form-urlencoded")
                }
            }
        }
        for body in ["{}", #"{"text":" "}"#, #"{"text":1}"#, #"{"attachments":[{}]}"#] {
            #expect(throws: HookRefusal.empty) { try Self.sent(.slack, body) }
        }
        #expect(throws: HookRefusal.empty) { try Self.sent(.discord, #"{"content":""}"#) }
        let long = #"{"text":""# + String(repeating: "x", count: 1 << 20) + "\"}"
        #expect(throws: HookRefusal.tooLarge) { try Self.sent(.slack, long) }
    }

    @Test("What the senders are told")
    func answers() throws {
        let words = HookRefusal.allCases.map { refusal in
            let body = String(decoding: refusal.body(at: .slack, retryAfter: 1), as: UTF8.self)
            return "\(refusal.status(at: .slack)) \(body.prefix { $0 != ":" })"
        }
        #expect(
            words == [
                "400 invalid_payload", "400 no_text", "404 no_service", "403 invalid_token",
                "403 action_prohibited", "404 channel_not_found", "405 method_not_allowed",
                "413 msg_too_long", "429 rate_limited", "503 rollup_error",
            ])
        for refusal in HookRefusal.allCases {
            let json = try #require(JSONNode(json: refusal.body(at: .discord, retryAfter: 3)))
            #expect(json["code"]?.integer != nil && json["message"]?.text?.isEmpty == false)
            #expect((json["retry_after"]?.integer == 3) == (refusal == .tooManyRequests))
        }
        #expect(HookRefusal.wrongToken.status(at: .discord) == 401)
        let advice = String(
            decoding: HookRefusal.noTopic.body(at: .slack, retryAfter: 0), as: UTF8.self)
        #expect(advice.contains("bellwire token add NAME --topic builds --write"))
        #expect(HookRefusal(NtfyRefusal.unauthorized) == .wrongToken)
        #expect(HookRefusal(NtfyRefusal.noSubscriber) == .unavailable)
    }
}
