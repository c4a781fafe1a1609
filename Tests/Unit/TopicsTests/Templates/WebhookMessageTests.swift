import Base
import Testing

@testable import Topics

@Suite("Webhooks of Slack and Discord")
struct WebhookMessageTests {
    private static func slack(_ body: String) throws(SlackRefusal) -> TopicContent {
        try SlackMessage.content(of: Array(body.utf8))
    }

    private static func discord(_ body: String) throws(DiscordRefusal) -> TopicContent {
        try DiscordMessage.content(of: Array(body.utf8))
    }

    static let texts: [(slack: String, plain: String)] = [
        ("a &amp; b &lt;c&gt;", "a & b <c>"), ("&amp;lt;", "&lt;"), ("&copy; & &", "&copy; & &"),
        ("see <https://a/b|the page>!", "see the page (https://a/b)!"),
        ("<https://a/b>", "https://a/b"), ("<https://a|https://a>", "https://a"),
        ("<mailto:a@b.c|a@b.c>", "a@b.c (mailto:a@b.c)"), ("<!here> <!channel|all>", "@here all"),
        ("<@U1> <@U1|ann> <#C1|general>", "@U1 @ann #general"), ("1 < 2", "1 < 2"), ("<", "<"),
        ("<>", ""), ("<|x>", "x ()"), ("a <b <c>", "a b <c"),
    ]

    @Test("Slack's signs become text", arguments: texts)
    func signs(_ row: (slack: String, plain: String)) {
        #expect(SlackText.plain(row.slack) == row.plain)
    }

    @Test("The text, else attachments, else blocks")
    func slack() throws {
        let text = try Self.slack(#"{"text":" hi ","username":"bot","channel":"c"}"#)
        #expect(text.text == "hi" && text.title == "bot")
        // As Alertmanager sends it: without a text, and with an empty one in the attachment.
        let alert = try Self.slack(
            #"""
            {"channel":"c","attachments":[{"title":"[FIRING:1] Load","title_link":"https://a/1",
            "text":"","fallback":"[FIRING:1] Load | https://a/1","color":"danger"}]}
            """#)
        #expect(alert.title == "[FIRING:1] Load" && alert.text == "")
        #expect(alert.click == "https://a/1")
        let fields = try Self.slack(
            #"""
            {"text":"t","attachments":[{"pretext":"p","text":"x","fallback":"f","image_url":
            "https://a/i.png","fields":[{"title":"Host","value":"db1","short":true}]},
            {"title":"second"},{"fallback":"last"}]}
            """#)
        #expect(fields.text == "t\np\nx\nHost: db1" && fields.title == "second")
        #expect(fields.attachment?.url == "https://a/i.png")
        #expect(try Self.slack(#"{"attachments":[{"fallback":"only"}]}"#).text == "only")
        let blocks = #"""
            "blocks":[{"type":"header","text":{"type":"plain_text","text":"H"}},{"type":"divider"},
            {"type":"section","text":{"type":"mrkdwn","text":"a &amp; b"},
            "fields":[{"type":"mrkdwn","text":"f"}]}]
            """#
        #expect(try Self.slack("{\(blocks)}").text == "H\na & b\nf")
        #expect(try Self.slack("{\"attachments\":[{\(blocks)}]}").text == "H\na & b\nf")
        #expect(try Self.slack("{\"text\":\"t\",\(blocks)}").text == "t")
        #expect(try Self.slack("payload=%7B%22text%22%3A%22a+b%22%7D").text == "a b")
    }

    @Test("What Slack's senders get as an answer")
    func slackRefusals() {
        for body in ["", "x", "[]", "{", "payload=x"] {
            #expect(throws: SlackRefusal.invalidPayload) { try Self.slack(body) }
        }
        for body in ["{}", #"{"text":" "}"#, #"{"text":1}"#, #"{"attachments":[{}]}"#] {
            #expect(throws: SlackRefusal.noText) { try Self.slack(body) }
        }
        #expect(SlackRefusal.accepted == "ok")
        let answers = SlackRefusal.allCases.map { "\($0.status) \($0.rawValue)" }
        #expect(
            answers == [
                "400 invalid_payload", "400 no_text", "403 invalid_token",
                "403 action_prohibited", "404 no_service", "410 channel_is_archived",
            ])
    }

    @Test("Content and embeds of Discord")
    func discord() throws {
        let plain = try Self.discord(#"{"content":"**hi**","username":"bot"}"#)
        #expect(plain.text == "**hi**" && plain.title == "bot" && plain.isMarkdown)
        let embed = try Self.discord(
            #"""
            {"content":"c","embeds":[{"title":"T","description":"D","url":"https://a/1","color":5,
            "fields":[{"name":"N","value":"V","inline":true}],"image":{"url":"https://a/i.png"}},
            {"author":{"name":"A"},"description":"E"}]}
            """#)
        #expect(embed.title == "T" && embed.text == "c\nD\nN: V\nA\nE")
        #expect(embed.click == "https://a/1" && embed.attachment?.url == "https://a/i.png")
        #expect(try Self.discord(#"{"embeds":[{"title":"T"}]}"#).title == "T")
    }

    @Test("What Discord's senders get as an answer")
    func discordRefusals() throws {
        #expect(throws: DiscordRefusal.invalidJSON) { try Self.discord("x") }
        #expect(throws: DiscordRefusal.empty) { try Self.discord(#"{"content":""}"#) }
        for refusal in DiscordRefusal.allCases {
            let json = try #require(JSONNode(json: refusal.json(retryAfter: 3)))
            #expect(json["code"]?.integer != nil && json["message"]?.text?.isEmpty == false)
            #expect((json["retry_after"]?.integer == 3) == (refusal.status == 429))
        }
    }

    @Test("Both are known at any topic by more than their text")
    func marks() {
        for body in [
            #"{"text":"hi","username":"u"}"#, #"{"text":"hi","icon_emoji":":x:"}"#,
            #"{"attachments":[{"fallback":"f"}]}"#,
            #"{"channel":"c","username":"u","text":"","attachments":[{"title":"t"}]}"#,
            #"{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"x"}}]}"#,
            #"{"content":"hi","username":"u"}"#, #"{"embeds":[{"title":"t"}]}"#,
            #"{"content":"","embeds":[{"description":"t"}],"username":"u","avatar_url":"https://a"}"#,
        ] {
            #expect(KnownServiceTests.read(body) != nil, "\(body)")
        }
    }

    @Test("Parts of other kinds than expected are left out")
    func strange() {
        let values = ["1", "null", "true", #""x""#, "[]", "{}", "[1,null,{}]", #"[{"text":{}}]"#]
        for name in ["text", "attachments", "blocks", "username", "content", "embeds"] {
            for value in values {
                let body = Array("{\"\(name)\":\(value)}".utf8)
                _ = try? SlackMessage.content(of: body)
                _ = try? DiscordMessage.content(of: body)
                let part = "{\"\(name)\":\(value),\"fields\":\(value)}"
                _ = try? SlackMessage.content(of: Array("{\"attachments\":[\(part)]}".utf8))
            }
        }
    }
}
