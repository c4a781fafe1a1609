import Base
import Foundation
import Testing
import Topics

@testable import StatusPage

@Suite("The page with the messages")
struct InboxPageTests {
    private static let hostile = "<script>alert(1)</script>\"'&\u{202E}"
    private let frame = PageFrame(language: .english, formToken: "TOKEN")

    private func inbox(
        _ wish: Inbox.Wish = .init(), isRead: Bool = false, hasPicture: Bool = false,
        _ change: (inout TopicContent) -> Void
    ) -> Inbox {
        var content = TopicContent()
        change(&content)
        var inbox = Inbox()
        inbox.wish = wish
        inbox.topics = [.init(id: "AAAA", name: Self.hostile), .init(id: "BBBB", name: "builds")]
        inbox.items = [
            .init(
                TopicMessage(id: .init(number: 7), time: 999_880, keptFor: 60, content),
                at: 8, topic: "builds", topicID: "BBBB", isRead: isRead, hasPicture: hasPicture)
        ]
        (inbox.newest, inbox.now) = (9, 1_000_000)
        return inbox
    }

    private func html(_ inbox: Inbox) -> String {
        String(decoding: InboxPage(inbox, frame).html, as: UTF8.self)
    }

    @Test(
        "Text from outside is never markup, whether or not it is Markdown",
        arguments: [false, true])
    func escapes(isMarkdown: Bool) {
        let html = html(
            inbox {
                ($0.title, $0.text, $0.isMarkdown) = (Self.hostile, Self.hostile, isMarkdown)
                ($0.tags, $0.click) = ([Self.hostile], "https://x.example/\"><script>alert(2)")
                $0.attachment = TopicAttachment(link: "https://x.example/a", named: "<img src=x>")
            })
        for way in ["<script>alert", "\u{202E}", "<img"] {
            #expect(!html.contains(way), "\(way)")
        }
        #expect(html.components(separatedBy: "&lt;script&gt;alert(1)").count == 9)
    }

    @Test("A message says what it is about, since when, from which topic and how urgent it is")
    func facts() {
        let html = html(
            inbox(isRead: true) {
                ($0.title, $0.text, $0.priority, $0.tags) = ("Disk", "full\nsoon", 5, ["nas"])
            })
        for text in [
            "<h2 dir=\"auto\">Disk</h2>", ">2 min ago<", "<bdi>builds</bdi>", ">urgent<",
            "<bdi>nas</bdi>", "name=\"unread\" value=\"8\"", "dir=\"auto\">full\nsoon</div>",
        ] { #expect(html.contains(text), "\(text)") }
        #expect(html.contains("<a href=\"/ui/?topic=BBBB\"><bdi>builds</bdi></a>"))
        let untitled = self.html(inbox { $0.text = "**full**" })
        #expect(untitled.contains("<h2 dir=\"auto\">builds</h2>"))
        #expect(untitled.contains(">**full**<"))
    }

    @Test("What is unread is marked so, and a button marks all that the page has")
    func unread() {
        var inbox = inbox { $0.text = "x" }
        #expect(html(inbox).contains("<strong>new</strong>"))
        #expect(html(inbox).contains("name=\"read\" value=\"8\""))
        #expect(!html(inbox).contains("id=\"all\""))
        inbox.items.append(contentsOf: inbox.items)
        #expect(html(inbox).contains("name=\"read\" value=\"8,8\""))
        #expect(!html(self.inbox(isRead: true) { $0.text = "x" }).contains("<strong>new"))
    }

    @Test("A question is on top with its answers, as text, and says which one it was")
    func questions() throws {
        var content = TopicContent()
        (content.title, content.text) = (Self.hostile, "now?")
        content.question = try TopicQuestion([Self.answer, "no", "*"])
        content.question?.number = .max
        let message = TopicMessage(id: .init(number: 5), time: 999_000, keptFor: 60, content)
        let question = try #require(
            Question(message, at: 1, by: 0, until: 1_000_600, keptFor: 60))
        var inbox = inbox { $0.text = "x" }
        inbox.questions = [.init(question, topic: "door")]
        let html = html(inbox)
        let id = TopicMessageID(number: 5).text
        let place = "action=\"/ui/questions/\(id)/"
        for text in [
            place + "answer\"", place + "withdraw\"", "name=\"number\" value=\"\(UInt64.max)\"",
            "name=\"place\" value=\"1\"", "<bdi>no</bdi>", "name=\"text\" required",
            "&lt;b&gt;yes", ">in 10 min<",
        ] { #expect(html.contains(text), "\(text)") }
        #expect(!html.contains("<script>alert") && !html.contains("<b>yes"))
        inbox.wish.words = "x"
        #expect(!self.html(inbox).contains(place))
    }

    private static let answer = "<b>yes"

    @Test("Marks of Markdown are shown as what they mean, and links say where they lead")
    func markdown() {
        let html = html(
            inbox {
                ($0.text, $0.isMarkdown) = ("**full** [here](https://nas.example/x)", true)
            })
        #expect(
            html.contains("<b>full</b> <a href=\"https://nas.example/x\">here (nas.example)</a>"))
    }

    @Test("Only links that a browser may open are links, and each says where it leads")
    func links() {
        func action(_ kind: TopicAction.Kind, _ label: String, _ url: String) -> TopicAction {
            var action = TopicAction()
            (action.kind, action.label, action.url, action.value) = (kind, label, url, "4711")
            return action
        }
        let html = html(
            inbox {
                $0.click = "javascript:alert(1)"
                $0.attachment = TopicAttachment(link: "https://nas.example/log.txt")
                $0.actions = [
                    action(.view, "Look", "https://nas.example/"), action(.copy, "Code", ""),
                    action(.http, "Restart", "https://nas.example/restart"),
                    action(.view, "Run", "data:text/html,x"),
                ]
            })
        for way in ["javascript:alert(1)", "data:text/html,x"] {
            #expect(html.contains("<code>\(way)</code>") && !html.contains("\"\(way)"))
        }
        #expect(
            html.contains("<bdi>Look</bdi><span class=\"unseen\">: builds</span> (nas.example)"))
        #expect(html.contains("<a href=\"https://nas.example/log.txt\" rel=\"noopener"))
        #expect(html.contains("<bdi>Code</bdi>: <code>4711</code>"))
        // Without a host there is no request that can be sent.
        #expect(!html.contains("Restart"))
    }

    @Test(
        "An address that readers might take for another one is text",
        arguments: [
            "http:evil.example/?://bank.example/", "https:\\\\evil.example\\?://bank.example/",
            "https://evil.example\u{200E}@bank.example/",
            "https://evil.example/\u{FE0F}@bank.example/",
            "https:///evil.example", "https://evil.example\t@bank.example/", "/ui/logout",
        ])
    func odd(address: String) {
        let html = html(
            inbox {
                $0.click = address
                $0.text = "x"
            })
        let message = html.components(separatedBy: "<article").last ?? ""
        #expect(!message.contains("rel=\"noopener") && message.contains("<code>"))
    }

    @Test("What is to be copied keeps its lines, and a long text ends somewhere")
    func exact() {
        var action = TopicAction()
        (action.kind, action.label, action.value) = (.copy, "Code", "a < b\nc")
        let html = html(
            inbox {
                ($0.actions, $0.text) = ([action], String(repeating: "long ", count: 40_000))
            })
        #expect(html.contains("<code>a &lt; b\nc</code>"))
        #expect(html.contains("…</div>"))
        #expect(html.utf8.count < 16_384)
    }

    @Test("The picture of a message is asked for by its id, and data that are no text are counted")
    func pictures() {
        let html = html(
            inbox(hasPicture: true) { ($0.text, $0.isBase64) = ("AAAA", true) })
        let id = TopicMessageID(number: 7).text
        #expect(html.contains("<img src=\"/ui/messages/\(id)/picture\""))
        #expect(html.contains("3 B that are no text") && !html.contains("AAAA</div>"))
    }

    @Test("What the visitor asked for stays in the form and in the links to other pages")
    func wishes() throws {
        var wish = Inbox.Wish()
        (wish.topic, wish.words) = ("BBBB", "disk & \"full\"")
        var inbox = inbox(wish) { $0.text = "x" }
        inbox.next = 5
        let first = html(inbox)
        #expect(first.contains("<option value=\"BBBB\" selected>builds</option>"))
        #expect(first.contains("value=\"disk &amp; &quot;full&quot;\""))
        let query = "topic=BBBB&amp;search=disk%20%26%20%22full%22"
        #expect(first.contains("<a href=\"/ui/?\(query)&amp;before=5\" rel=\"next\">"))
        // A search is not repeated, and older pages do not change.
        #expect(!first.contains("data-live"))
        inbox.wish.before = 5
        #expect(html(inbox).contains("<a href=\"/ui/?\(query)\">The newest messages</a>"))
        inbox.wish.words = ""
        #expect(!html(inbox).contains("data-live"))
        inbox.wish.before = nil
        #expect(
            html(inbox).contains(
                "<body data-live=\"/ui/messages?topic=BBBB\" data-last=\"9\" "
                    + "data-stream=\"/ui/messages/stream\">"))
    }

    @Test("Where there is nothing, the page says why")
    func nothing() {
        var inbox = Inbox()
        #expect(html(inbox).contains("bellwire topic add"))
        inbox.topics = [.init(id: "AAAA", name: "builds")]
        #expect(html(inbox).contains("Nothing has come to your topics yet."))
        inbox.wish.topic = "AAAA"
        #expect(html(inbox).contains("Nothing has come to this topic"))
        inbox.wish.words = "x"
        #expect(html(inbox).contains("No message has these words."))
        inbox.next = 5
        #expect(html(inbox).contains("Among those that were looked at"))
        (inbox.wish, inbox.next) = (.init(), nil)
        inbox.wish.before = 3
        #expect(html(inbox).contains("There are no older messages."))
    }

    @Test("The script gets the messages with the position up to which they are the newest")
    func changes() throws {
        let page = InboxPage(inbox { $0.text = "x" }, frame)
        let root = try JSONDocument(page.changes).root
        #expect(root["last"]?.integer == 9)
        let section = try #require(root["sections"]?["messages"]?.text)
        #expect(html(inbox { $0.text = "x" }).contains("<div id=\"messages\">\(section)</div>"))
        let none = try JSONDocument(InboxPage.noChanges).root
        #expect(none["last"] == nil && none["sections"] != nil)
    }
}
