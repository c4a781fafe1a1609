import Base
import Testing

@testable import Topics

@Suite("Messages for webhooks of Slack and Discord")
struct WebhookMessageTests {
    private static func slack(_ body: String) throws -> TopicContent {
        let root = try #require(JSONNode(json: Array(body.utf8)))
        return try #require(SlackMessage.content(of: root))
    }

    private static func discord(_ body: String) throws -> TopicContent {
        let root = try #require(JSONNode(json: Array(body.utf8)))
        return try #require(DiscordMessage.content(of: root))
    }

    @Test("The text, and what attachments add to it")
    func slackAttachments() throws {
        let text = try Self.slack(
            #"{"text":" hi ","username":"bot","channel":"c","icon_url":"https://a/i.png"}"#)
        #expect(text.text == "hi" && text.title == "bot" && !text.isMarkdown)
        #expect(text.icon == "https://a/i.png")
        // As Alertmanager sends it: without a text, and with an empty one in the attachment.
        let alert = try Self.slack(
            #"""
            {"channel":"c","username":"Alertmanager","attachments":[{"title":"[FIRING:1] Load",
            "title_link":"https://a/1","text":"","fallback":"[FIRING:1] Load | https://a/1"}]}
            """#)
        #expect(alert.title == "Alertmanager" && alert.text == "[FIRING:1] Load")
        #expect(alert.click == "https://a/1")
        let fields = try Self.slack(
            #"""
            {"text":"t","attachments":[{"pretext":"p","text":"x","fallback":"f","image_url":
            "https://a/i.png","fields":[{"title":"Host","value":"db1","short":true},
            {"title":"only"}],"actions":[{"type":"button","text":"Go","url":"https://a/2"},
            {"type":"button","text":"None"}]},{"title":"second"},{"fallback":"last"}]}
            """#)
        #expect(fields.text == "t\np\nx\nHost: db1\nonly" && fields.title == "second")
        #expect(fields.attachment?.url == "https://a/i.png" && fields.attachment?.name == "i.png")
        #expect(fields.actions.map(\.label) == ["Go"] && fields.actions[0].url == "https://a/2")
        #expect(try Self.slack(#"{"attachments":[{"fallback":"only"}]}"#).text == "only")
        let small = try Self.slack(
            #"{"text":"t","attachments":[{"author_name":"A","thumb_url":"http://a/s.png"}]}"#)
        #expect(small.title == "A" && small.attachment?.url == "http://a/s.png")
    }

    private static let blocks = #"""
        "blocks":[{"type":"header","text":{"type":"plain_text","text":"H"}},{"type":"divider"},
        {"type":"section","text":{"type":"mrkdwn","text":"a &amp; b"},
        "fields":[{"type":"mrkdwn","text":"f"}],"accessory":{"type":"button",
        "text":{"type":"plain_text","text":"Open"},"url":"https://a/1"}},
        {"type":"image","image_url":"https://a/i.png","alt_text":"alt"},
        {"type":"context","elements":[{"type":"plain_text","text":"*c*"}]},
        {"type":"actions","elements":[{"type":"button","text":{"text":"Go"},"url":"https://a/2"},
        {"type":"button","text":{"text":"Bad"},"url":"javascript:x"}]}]
        """#

    @Test("Blocks, where there is no text beside them")
    func slackBlocks() throws {
        for body in ["{\(Self.blocks)}", "{\"attachments\":[{\(Self.blocks)}]}"] {
            let content = try Self.slack(body)
            #expect(content.title == "H" && content.text == "a & b\nf\nalt\n*c*", "\(body)")
            #expect(content.attachment?.url == "https://a/i.png")
            #expect(content.actions.map(\.label) == ["Open", "Go"])
        }
        let both = try Self.slack("{\"text\":\"t\",\(Self.blocks)}")
        #expect(both.text == "t" && both.title == "H" && both.actions.count == 2)
        let rich = try Self.slack(
            #"""
            {"blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[
            {"type":"text","text":"see "},{"type":"link","url":"https://a/1","text":"it"},
            {"type":"emoji","name":"tada"}]},{"type":"rich_text_list","elements":[
            {"type":"rich_text_section","elements":[{"type":"text","text":"one"}]},
            {"type":"rich_text_section","elements":[{"type":"text","text":"two"}]}]}]}]}
            """#)
        #expect(rich.text == "see [it](https://a/1):tada:\none\ntwo" && rich.isMarkdown)
        #expect(rich.click == "https://a/1")
    }

    @Test("Content and embeds of Discord")
    func discord() throws {
        let plain = try Self.discord(
            #"{"content":"**hi**","username":"bot","avatar_url":"https://a/b.png"}"#)
        #expect(plain.text == "**hi**" && plain.title == "bot" && plain.isMarkdown)
        #expect(plain.icon == "https://a/b.png")
        let embed = try Self.discord(
            #"""
            {"content":"c","embeds":[{"title":"T","description":"D","url":"https://a/1","color":5,
            "fields":[{"name":"N","value":"V","inline":true}],"image":{"url":"https://a/i.png"}},
            {"author":{"name":"A"},"description":"E","thumbnail":{"url":"https://a/j.png"}}],
            "components":[{"type":1,"components":[{"type":2,"style":5,"label":"Go",
            "url":"https://a/2"},{"type":2,"style":1,"label":"No","custom_id":"x"}]}]}
            """#)
        #expect(embed.title == "T" && embed.text == "c\nD\nN: V\nA\nE")
        #expect(embed.click == "https://a/1" && embed.attachment?.url == "https://a/i.png")
        #expect(embed.actions.map(\.url) == ["https://a/2"])
        let title = try Self.discord(#"{"username":"bot","embeds":[{"title":"T"}]}"#)
        #expect(title.text == "T" && title.title == "bot")
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

    @Test("Links and pictures of other kinds than the web's, or too long, are left out")
    func links() throws {
        let long = "https://a/" + String(repeating: "x", count: 4_096)
        for link in ["javascript:alert(1)", "file:///etc/passwd", "data:image/png;x", long, "a"] {
            let content = try Self.slack(
                #"""
                {"text":"t","icon_url":"\#(link)","attachments":[{"image_url":"\#(link)",
                "actions":[{"text":"Go","url":"\#(link)"}]}]}
                """#)
            #expect(content.icon.isEmpty && content.attachment == nil && content.actions.isEmpty)
        }
    }

    @Test("Parts of other kinds than expected are left out")
    func strange() throws {
        let values = ["1", "null", "true", #""x""#, "[]", "{}", "[1,null,{}]", #"[{"text":{}}]"#]
        for name in ["text", "attachments", "blocks", "username", "content", "embeds"] {
            for value in values {
                let part = "{\"\(name)\":\(value),\"fields\":\(value),\"type\":\(value)}"
                for body in [part, "{\"attachments\":[\(part)]}", "{\"blocks\":[\(part)]}"] {
                    let root = try #require(JSONNode(json: Array(body.utf8)))
                    for content in [
                        SlackMessage.content(of: root), DiscordMessage.content(of: root),
                    ] {
                        #expect(content.map { $0.text.isEmpty } != true, "\(body)")
                    }
                }
            }
        }
    }
}
