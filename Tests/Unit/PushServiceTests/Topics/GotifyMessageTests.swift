import Foundation
import Testing
import Topics

@Suite("Messages on Gotify's paths")
struct GotifyMessageTests {
    private let fixture: PushFixture
    private let owner: GotifyCaller

    init() throws {
        fixture = try PushFixture()
        owner = try GotifyCaller(fixture)
    }

    @Test("A message is answered as its readers get it")
    func publish() throws {
        let application = try owner.makeApplication("Backup of 'home'")
        let extras = #"{"client::display":{"contentType":"text/markdown"},"my::own":{"a":[1]}}"#
        let published = try application.sender.ask(
            "POST", "/message",
            #"{"id":7,"appid":99,"date":"2026-01-01T00:00:00Z","message":"**text**","priority":-2,"#
                + #""title":"","extras":\#(extras)}"#)
        #expect(
            published.members.keys.sorted()
                == ["appid", "date", "extras", "id", "message", "priority", "title"])
        #expect(published.number("id") > 0 && published.number("appid") == application.id)
        #expect(published.text("message") == "**text**" && published.number("priority") == -2)
        #expect(published.text("title") == "Backup of 'home'")
        #expect(published.text("date").hasSuffix("+00:00"))
        let list = try owner.ask("GET", "/message")
        #expect(list.messages.count == 1)
        #expect(list.messages[0] as NSDictionary == published.members as NSDictionary)
        #expect((list.messages[0]["extras"] as? [String: Any])?.keys.contains("my::own") == true)
    }

    @Test("An open question is not deleted, and what has ended does not come back")
    func question() throws {
        _ = try owner.makeApplication("t")
        let asked = try fixture.ntfy("POST", "/t?ask=yes", try fixture.token(.write), "Deploy?")
        func ids() throws -> [Int] {
            try owner.ask("GET", "/message").messages.compactMap { $0["id"] as? Int }
        }
        let open = try ids()
        #expect(open.count == 1)
        try owner.ask("DELETE", "/message/\(open[0])", expecting: 409)
        try owner.ask("DELETE", "/message")
        #expect(try ids() == open)
        let place = try #require(asked["location"])
        #expect(try fixture.ntfy("DELETE", place, try fixture.addCredential()).status == 200)
        let ended = try ids()
        #expect(ended.count == 2)
        for id in ended { try owner.ask("DELETE", "/message/\(id)") }
        #expect(try ids() == [])
    }

    @Test(
        "JSON, forms, multipart and the query alone are read",
        arguments: [
            ("/message", "application/json; charset=utf-8", #"{"title":"t","message":"m"}"#),
            ("/gotify//message/", nil, #"{"title":"t","message":"m"}"#),
            ("/message", "application/x-www-form-urlencoded", "title=t&message=m&priority=5"),
            ("/message", nil, "title=t&message=m"), ("/message?title=t&message=m", nil, nil),
            (
                "/message", "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt\r\n"
                    + "--b\r\nContent-Disposition: form-data; name=\"message\"\r\n\r\nm\r\n--b--\r\n"
            ),
        ] as [(String, String?, String?)])
    func forms(path: String, type: String?, body: String?) throws {
        let sender = try owner.makeApplication("app").sender
        let published = try sender.ask("POST", path, body, type: type)
        #expect(published.text("title") == "t" && published.text("message") == "m")
        #expect(published.members["extras"] == nil)
    }

    @Test(
        "What says nothing, or cannot be read, is refused",
        arguments: [
            "{}", "{", #"{"message":""}"#, #"{"message":null}"#, #"{"message":[]}"#, "[]",
            #"{"message":"m","priority":"high"}"#, #"{"message":"m","extras":[]}"#,
            #"{"message":"m","priority":99999999999999999999}"#,
            #"{"message":"m","extras":"# + String(repeating: #"{"a":"#, count: 200) + "1"
                + String(repeating: "}", count: 201),
        ])
    func bad(body: String) throws {
        let sender = try owner.makeApplication("app").sender
        try sender.ask("POST", "/message", body, expecting: nil).expectRefusal(400)
        #expect(try owner.texts().isEmpty)
    }

    @Test("A long text comes whole, and one without end is refused")
    func long() throws {
        let sender = try owner.makeApplication("app").sender
        let text = String(repeating: "ж", count: 500_000)
        let published = try sender.ask("POST", "/message", #"{"message":"\#(text)"}"#)
        #expect(published.text("message") == text)
        #expect(try owner.texts() == [text])
        let tooLong = String(repeating: "x", count: 1_000_001)
        try sender.ask("POST", "/message", #"{"message":"\#(tooLong)"}"#, expecting: nil)
            .expectRefusal(413)
        try sender.ask(
            "POST", "/message",
            #"{"message":"m","extras":{"a":"\#(tooLong.prefix(70_000))"}}"#, expecting: nil
        ).expectRefusal(413)
        let title = String(repeating: "ж", count: 5_000)
        let cut = try sender.ask("POST", "/message", #"{"message":"m","title":"\#(title)"}"#)
        #expect(cut.text("title") == title.prefix(512))
    }

    @Test("A body that is too long is refused before it is read")
    func body() throws {
        let sender = try owner.makeApplication("app").sender
        for (caller, length) in [(sender, 9 << 20), (GotifyCaller(fixture, key: nil), 100_000)] {
            let fields = caller.fields + [("Content-Length", "\(length)")]
            GotifyReply(try fixture.request("POST", "/message", fields)).expectRefusal(413)
        }
    }

    @Test("Ids grow, and a page goes down from the newest, or from an older one")
    func paging() throws {
        let (first, second) = (
            try owner.makeApplication("one"), try owner.makeApplication("two")
        )
        var ids: [Int] = []
        for number in 0..<5 {
            let sender = number % 2 == 0 ? first.sender : second.sender
            ids.append(try sender.publish("\(number)"))
        }
        #expect(ids == ids.sorted() && Set(ids).count == 5)
        let page = try owner.ask("GET", "/message?limit=2")
        #expect(page.messages.map { $0["id"] as? Int } == [ids[4], ids[3]])
        #expect(page.paging["size"] as? Int == 2 && page.paging["limit"] as? Int == 2)
        #expect(page.paging["since"] as? Int == ids[3])
        let next = try #require(page.paging["next"] as? String)
        #expect(next == "/message?limit=2&since=\(ids[3])")
        #expect(try owner.texts(next) == ["2", "1"])
        let last = try owner.ask("GET", "/message?limit=2&since=\(ids[1])")
        #expect(last.messages.map { $0["message"] as? String } == ["0"])
        #expect(last.paging["since"] as? Int == 0 && last.paging["next"] == nil)
        #expect(try owner.texts("/message?since=0").count == 5)
        #expect(try owner.texts("/application/\(second.id)/message") == ["3", "1"])
        for query in ["limit=0", "limit=201", "limit=x", "since=-1", "limit=-5"] {
            try owner.ask("GET", "/message?\(query)", expecting: nil).expectRefusal(400)
        }
        #expect(try owner.texts("/message?limit=200&since=9223372036854775807").count == 5)
    }

    @Test("What is deleted is gone, and the rest stays")
    func deletion() throws {
        let (first, second) = (
            try owner.makeApplication("one"), try owner.makeApplication("two")
        )
        let id = try first.sender.publish("a")
        try first.sender.publish("b")
        try second.sender.publish("c")
        let gone = try owner.ask("DELETE", "/message/\(id)")
        #expect(gone.answer.body.isEmpty)
        #expect(try owner.texts() == ["c", "b"])
        try owner.ask("DELETE", "/message/\(id)", expecting: nil).expectRefusal(404)
        try owner.ask("DELETE", "/message/0", expecting: nil).expectRefusal(404)
        try owner.ask("DELETE", "/application/\(first.id)/message")
        #expect(try owner.texts() == ["c"])
        try owner.ask("DELETE", "/application/99/message", expecting: nil).expectRefusal(404)
        try owner.ask("GET", "/application/99/message", expecting: nil).expectRefusal(404)
        try owner.ask("DELETE", "/message")
        #expect(try owner.texts().isEmpty)
        #expect(try second.sender.publish("d") > id + 2)
    }

    @Test("Nobody reads, deletes or pushes to what belongs to another owner")
    func owners() throws {
        let application = try owner.makeApplication("one")
        let id = try application.sender.publish("mine")
        let other = try GotifyCaller(fixture, owner: "other")
        #expect(try other.texts().isEmpty)
        #expect(try other.ask("GET", "/application").list.isEmpty)
        let path = "/application/\(application.id)"
        for (method, path) in [
            ("GET", "\(path)/message"), ("DELETE", "\(path)/message"), ("DELETE", path),
            ("DELETE", "/message/\(id)"),
        ] {
            try other.ask(method, path, expecting: nil).expectRefusal(404)
        }
        try other.ask("PUT", path, #"{"name":"n"}"#, expecting: nil).expectRefusal(404)
        try other.ask(
            "POST", "/message", #"{"message":"m","appid":\#(application.id)}"#, expecting: nil
        ).expectRefusal(404)
        try other.ask("DELETE", "/message")
        #expect(try owner.texts() == ["mine"])
    }

    @Test("A token reads and pushes within its pattern")
    func pattern() throws {
        let (seen, hidden) = (try owner.makeApplication("ci"), try owner.makeApplication("home"))
        try seen.sender.publish("seen")
        let id = try hidden.sender.publish("hidden")
        let reader = try GotifyCaller.token(.client, "c*", [.read, .end], of: fixture)
        #expect(try reader.texts() == ["seen"])
        #expect(try reader.ask("GET", "/application").list.count == 1)
        try reader.ask("DELETE", "/message/\(id)", expecting: nil).expectRefusal(404)
        try reader.ask("DELETE", "/message")
        #expect(try owner.texts() == ["hidden"])
        let writer = try GotifyCaller.token(.client, "c*", .usual, of: fixture)
        let body = #"{"message":"m","appid":\#(seen.id)}"#
        #expect(try writer.ask("POST", "/message", body).number("appid") == seen.id)
        for application in ["99", "0", "-1", "\(hidden.id)", "4294967296"] {
            let body = #"{"message":"m","appid":\#(application)}"#
            let reply = try writer.ask("POST", "/message", body, expecting: nil)
            #expect([400, 404].contains(reply.answer.status))
        }
        try writer.ask("POST", "/message", #"{"message":"m"}"#, expecting: nil).expectRefusal(400)
    }

    @Test("What ntfy's senders say is read here, and the other way round")
    func faces() throws {
        let application = try owner.makeApplication("builds")
        try application.sender.publish("from Gotify")
        let answer = try fixture.request(
            "PUT", "/builds", owner.fields + [("Priority", "5"), ("Title", "said")],
            body: Array("from ntfy".utf8))
        #expect(answer.status == 200)
        let messages = try owner.ask("GET", "/message").messages
        #expect(messages.map { $0["message"] as? String } == ["from ntfy", "from Gotify"])
        #expect(messages[0]["priority"] as? Int == 10 && messages[0]["title"] as? String == "said")
        #expect(messages[1]["title"] as? String == "builds")
    }

    @Test("Topics of UnifiedPush are no applications")
    func unifiedPush() throws {
        _ = try owner.makeApplication("one")
        let answer = try fixture.request(
            "PUT", "/upABCDEFGHIJKL", owner.fields, body: Array("text".utf8))
        #expect(answer.status == 200 || answer.status == 507, "\(answer.text)")
        #expect(try owner.ask("GET", "/application").list.count == 1)
        #expect(try owner.texts().isEmpty)
    }

    @Test("All survives a restart")
    func restart() throws {
        let application = try owner.makeApplication("Ünï cödé ✓")
        let id = try application.sender.publish("before")
        try fixture.restart()
        #expect(try owner.texts() == ["before"])
        #expect(try application.sender.publish("after") > id)
        let name = try owner.ask("GET", "/application").list.first?["name"] as? String
        #expect(name == "Ünï cödé ✓")
    }
}
