import Base
import Testing

@testable import Topics

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite("What Gotify's clients read")
struct GotifyModelTests {
    private func message(
        id: Int64 = 25, kind: TopicMessage.Kind = .message, time: Int64 = 1_795_941_309,
        _ build: (inout TopicContent) -> Void = { _ in }
    ) throws -> GotifyMessage? {
        var content = TopicContent()
        content.text = "text"
        build(&content)
        let known = try #require(TopicMessageID("abcdefghijkl"))
        let message = TopicMessage(id: known, kind, time: time, content)
        return GotifyMessage(message, id: id, application: 3, named: "Büro")
    }

    private func json(_ build: (inout TopicContent) -> Void = { _ in }) throws -> String {
        text(try #require(try message(build)).json)
    }

    private func members(_ title: String, _ priority: Int) -> String {
        #"{"id":25,"appid":3,"message":"text","title":"\#(title)","priority":\#(priority),"#
            + #""date":"2026-11-29T08:35:09.000000+00:00""#
    }

    @Test("Without a title it is the application's name; extras are missing, not null")
    func least() throws {
        #expect(try json() == members("Büro", 5) + "}")
        #expect(try json { $0.title = "a\"b" } == members(#"a\"b"#, 5) + "}")
    }

    @Test("Events of ntfy are no messages", arguments: [TopicMessage.Kind.delete, .clear])
    func events(_ kind: TopicMessage.Kind) throws { #expect(try message(kind: kind) == nil) }

    @Test(
        "Priorities of ntfy",
        arguments: [(0, 5), (1, 0), (2, 2), (3, 5), (4, 8), (5, 10)] as [(UInt8, Int64)])
    func priorities(_ level: UInt8, _ number: Int64) throws {
        #expect(try json { $0.priority = level } == members("Büro", Int(number)) + "}")
    }

    @Test("A sender's number comes back as it was, whatever it was", arguments: [-2, 0, 7, 100])
    func numbers(_ number: Int64) throws {
        let written = try json {
            $0.priority = 3
            $0.gotifyPriority = number
        }
        #expect(written == members("Büro", Int(number)) + "}")
    }

    @Test("Link, Markdown and picture of a sender of ntfy are in the extras")
    func extras() throws {
        func attached(_ name: String, _ type: String, click: String = "") throws -> String {
            try json {
                var file = TopicAttachment()
                (file.name, file.type, file.url) = (name, type, "https://s/f")
                $0.attachment = file
                $0.click = click
            }
        }
        let start = members("Büro", 5) + #","extras":"#
        let markdown = #""client::display":{"contentType":"text/markdown"}"#
        func click(_ url: String, _ rest: String = "") -> String {
            #""client::notification":{"click":{"url":"\#(url)"}\#(rest)}"#
        }
        let picture = #","bigImageUrl":"https://s/f""#
        #expect(try json { $0.isMarkdown = true } == start + "{\(markdown)}}")
        #expect(try json { $0.click = "geo:1,2" } == start + "{\(click("geo:1,2"))}}")
        let both = try json { ($0.isMarkdown, $0.click) = (true, "https://a") }
        #expect(both == start + "{\(markdown),\(click("https://a"))}}")
        // A press leads to a file that cannot be shown.
        #expect(try attached("a.txt", "text/plain") == start + "{\(click("https://s/f"))}}")
        #expect(try attached("a.bin", "") == start + "{\(click("https://s/f"))}}")
        #expect(
            try attached("a", "image/png", click: "https://a")
                == start + "{\(click("https://a", picture))}}")
        #expect(try attached("a.JPG", "") == start + "{\(click("https://s/f", picture))}}")
        #expect(try attached("a.jpg", "text/plain") == start + "{\(click("https://s/f"))}}")
    }

    @Test("Extras of a sender of Gotify come back as they were")
    func ownExtras() throws {
        let extras = #"{"client::display":{"contentType":"text/markdown"},"own":[1,null]}"#
        let written = try json { content in
            content.extras = extras
            (content.isMarkdown, content.click) = (true, "https://a")
        }
        #expect(written == members("Büro", 5) + #","extras":\#(extras)}"#)
    }

    @Test("What a sender says, a reader gets")
    func round() throws {
        let body = #"{"message":"m","title":"t","priority":-1,"extras":{"a":{"b":"c"}}}"#
        let none: [UInt8] = []
        let fields = try GotifyFields(type: none.span, Array(body.utf8), query: none.span)
        let content = try TopicContent(fields, defaultPriority: 4)
        let root = try JSONDocument(try #require(try message { $0 = content }).json).root
        #expect(root["message"]?.text == "m" && root["title"]?.text == "t")
        #expect(root["priority"]?.integer == -1)
        #expect(root["extras"]?["a"]?["b"]?.text == "c")
    }

    private func page(_ query: String) throws -> GotifyPage {
        let query = Array(query.utf8)
        return try GotifyPage(query: query.span)
    }

    @Test("A page says where the next one is, and the last one does not")
    func paging() throws {
        let messages = try [9, 7].map { try #require(try message(id: $0)) }
        let page = try page("limit=2")
        let more = GotifyMessages(page, of: "/application/3/message", messages, hasMore: true)
        let root = try JSONDocument(more.json).root
        #expect(
            text(more.json).hasPrefix(
                #"{"paging":{"size":2,"limit":2,"since":7,"#
                    + #""next":"/application/3/message?limit=2&since=7"},"messages":[{"id":9,"#))
        #expect(root["messages"]?.elements.map { $0["id"]?.integer } == [9, 7])
        let last = GotifyMessages(page, of: "/message", messages, hasMore: false)
        #expect(text(last.json).hasPrefix(#"{"paging":{"size":2,"limit":2,"since":0},"#))
        let none = GotifyMessages(try self.page(""), of: "/message", [], hasMore: false)
        #expect(
            text(none.json) == #"{"paging":{"size":0,"limit":100,"since":0},"messages":[]}"#)
    }

    @Test func applications() throws {
        var application = GotifyApplication()
        (application.id, application.name, application.description) = (3, "Büro", "d")
        application.created = 0
        #expect(
            text(application.json)
                == #"{"id":3,"token":"","name":"Büro","description":"d","internal":false,"#
                + #""image":"static/defaultapp.png","defaultPriority":0,"lastUsed":null,"#
                + #""sortKey":"","createdAt":"1970-01-01T00:00:00.000000+00:00"}"#)
        application.token = TopicToken("A01234567890123")
        (application.picture, application.defaultPriority) = ("9f.png", 4)
        (application.sortKey, application.used) = ("a1", 1)
        let root = try JSONDocument([application].json).root.elements[0]
        #expect(root["token"]?.text == "A01234567890123")
        #expect(root["image"]?.text == "image/9f.png" && root["defaultPriority"]?.integer == 4)
        #expect(root["sortKey"]?.text == "a1")
        #expect(root["lastUsed"]?.text == "1970-01-01T00:00:01.000000+00:00")
        #expect(text([GotifyApplication]().json) == "[]")
    }

    @Test func clients() {
        var client = GotifyClient()
        (client.id, client.name, client.token) = (4, "phone", TopicToken("C01234567890123"))
        #expect(
            text(client.json)
                == #"{"id":4,"token":"C01234567890123","name":"phone","lastUsed":null,"#
                + #""createdAt":"1970-01-01T00:00:00.000000+00:00","expiresAt":null}"#)
    }

    @Test func server() {
        #expect(text(GotifyUser(id: 1, name: "me").json) == #"{"id":1,"name":"me","admin":false}"#)
        #expect(
            text(GotifyServer.Version("1.2").json)
                == #"{"version":"1.2","commit":"","buildDate":""}"#)
        #expect(
            text(GotifyServer.Info("1.2").json)
                == #"{"version":"1.2","register":false,"oidc":false}"#)
    }

    @Test("Health has the members of autopush and of Gotify")
    func health() {
        #expect(
            text(GotifyServer.Health("1.2", isUsable: true).json)
                == #"{"status":"OK","version":"1.2","health":"green","database":"green"}"#)
        #expect(
            text(GotifyServer.Health("1.2", isUsable: false).json)
                == #"{"status":"ERROR","version":"1.2","error":"the store cannot be used","#
                + #""health":"orange","database":"red"}"#)
    }
}
