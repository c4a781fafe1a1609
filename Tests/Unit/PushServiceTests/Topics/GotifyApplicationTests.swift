import Foundation
import Testing
import Topics

@testable import PushService

@Suite("Applications and clients on Gotify's paths")
struct GotifyApplicationTests {
    private let fixture: PushFixture
    private let owner: GotifyCaller

    init() throws {
        fixture = try PushFixture()
        owner = try GotifyCaller(fixture)
    }

    @Test("An application is made with a token in the form that senders check")
    func make() throws {
        let made = try owner.ask(
            "POST", "/application",
            #"{"name":"Backup","description":"d","defaultPriority":7,"sortKey":"k"}"#)
        #expect(
            made.members.keys.sorted() == [
                "createdAt", "defaultPriority", "description", "id", "image", "internal",
                "lastUsed", "name", "sortKey", "token",
            ])
        #expect(made.text("token").count == 15 && made.text("token").hasPrefix("A"))
        #expect(made.text("image") == "static/defaultapp.png")
        #expect(made.number("defaultPriority") == 7 && made.text("description") == "d")
        #expect(made.members["internal"] as? Bool == false)
        #expect(made.members["lastUsed"] is NSNull)
        let sender = GotifyCaller(fixture, key: made.text("token"))
        let published = try sender.ask("POST", "/message", #"{"message":"m"}"#)
        #expect(published.number("priority") == 7 && published.text("title") == "Backup")
        let listed = try #require(try owner.ask("GET", "/application").list.first)
        #expect(listed["id"] as? Int == made.number("id") && listed["token"] as? String == "")
        #expect(listed["lastUsed"] is String)
    }

    @Test(
        "A name may have any characters, and be there several times",
        arguments: ["Backup", "Резервная копия 1", "../../etc", "message", "s_secret", "🙂🙂"])
    func names(name: String) throws {
        var ids: Set<Int> = []
        for _ in 0..<3 { ids.insert(try owner.makeApplication(name).id) }
        #expect(ids.count == 3)
        let names = try owner.ask("GET", "/application").list.map { $0["name"] as? String }
        #expect(names == [name, name, name])
    }

    @Test("A change that another one has overtaken may come again")
    func overtaken() {
        let refusal = GotifyRefusal(.conflict, unknown: .unknownApplication)
        #expect(refusal == .unavailable && refusal.status == 503)
    }

    @Test(
        "Bad wishes are refused", arguments: ["{}", #"{"name":""}"#, #"{"name":"  "}"#, "{", "[1]"])
    func bad(body: String) throws {
        try owner.ask("POST", "/application", body, expecting: nil).expectRefusal(400)
        try owner.ask("POST", "/client", body, expecting: nil).expectRefusal(400)
        let long = #"{"name":"\#(String(repeating: "x", count: 2_000))"}"#
        try owner.ask("POST", "/application", long, expecting: nil).expectRefusal(413)
        #expect(try owner.ask("GET", "/application").list.isEmpty)
    }

    @Test("What an application is can be changed, and it ends with all that it had")
    func change() throws {
        let application = try owner.makeApplication("first")
        let path = "/application/\(application.id)"
        try application.sender.publish("m")
        let changed = try owner.ask(
            "PUT", path, #"{"name":"second","defaultPriority":3,"sortKey":"a"}"#)
        #expect(changed.text("name") == "second" && changed.number("defaultPriority") == 3)
        #expect(changed.number("id") == application.id && changed.text("token").isEmpty)
        let published = try application.sender.ask("POST", "/message", #"{"message":"n"}"#)
        #expect(published.number("priority") == 3 && published.text("title") == "second")
        let deleted = try owner.ask("DELETE", path)
        #expect(deleted.answer.body.isEmpty)
        #expect(try owner.ask("GET", "/application").list.isEmpty && owner.texts().isEmpty)
        try owner.ask("DELETE", path, expecting: nil).expectRefusal(404)
        try owner.ask("PUT", path, #"{"name":"n"}"#, expecting: nil).expectRefusal(404)
    }

    @Test("Applications come in the order of their keys")
    func order() throws {
        for key in ["b", "", "a"] {
            try owner.ask("POST", "/application", #"{"name":"app \#(key)","sortKey":"\#(key)"}"#)
        }
        let names = try owner.ask("GET", "/application").list.map { $0["name"] as? String }
        #expect(names == ["app ", "app a", "app b"])
    }

    @Test("An access token makes applications within its pattern, which end with it")
    func children() throws {
        let maker = try GotifyCaller.token(.access, "ci*", .usual, of: fixture)
        let application = try maker.makeApplication("ci one")
        try application.sender.publish("m")
        try maker.ask("POST", "/application", #"{"name":"home"}"#, expecting: nil)
            .expectRefusal(403)
        let fixed = try GotifyCaller.token(.access, "one", .usual, of: fixture)
        try fixed.ask("POST", "/application", #"{"name":"one"}"#, expecting: nil)
            .expectRefusal(403)
    }

    @Test("A client is made, renamed and deleted, and then opens nothing")
    func client() throws {
        let made = try owner.ask("POST", "/client", #"{"name":"Pixel"}"#)
        #expect(
            made.members.keys.sorted()
                == ["createdAt", "expiresAt", "id", "lastUsed", "name", "token"])
        let (id, token) = (made.number("id"), made.text("token"))
        #expect(token.count == 15 && token.hasPrefix("C"))
        let again = try owner.ask("POST", "/client", #"{"name":"Pixel"}"#)
        #expect(again.text("name") == "Pixel (2)")
        let client = GotifyCaller(fixture, key: token)
        #expect(try client.texts().isEmpty)
        let user = try client.ask("GET", "/current/user")
        #expect(user.text("name") == "tester" && user.number("id") > 0)
        #expect(user.members["admin"] as? Bool == false)
        #expect(try client.ask("GET", "/client").list.map { $0["id"] as? Int } == [id])
        #expect(try owner.ask("PUT", "/client/\(id)", #"{"name":"Phone"}"#).text("name") == "Phone")
        try fixture.restart()
        let listed = try owner.ask("GET", "/client").list
        #expect(listed.map { $0["name"] as? String } == ["Phone", "Pixel (2)"])
        #expect(listed.allSatisfy { $0["token"] as? String == "" })
        let deleted = try owner.ask("DELETE", "/client/\(id)")
        #expect(deleted.answer.body.isEmpty)
        try client.ask("GET", "/message", expecting: nil).expectRefusal(401)
        try owner.ask("DELETE", "/client/\(id)", expecting: nil).expectRefusal(404)
        try owner.ask("PUT", "/client/\(id)", #"{"name":"n"}"#, expecting: nil).expectRefusal(404)
    }

    @Test("A client sees and ends itself and those that it made, and nothing else")
    func clients() throws {
        let (first, second) = (try owner.makeClient("one"), try owner.makeClient("two"))
        let child = try first.makeClient("child")
        let all = try owner.ask("GET", "/client").list
        #expect(all.count == 3)
        let seen = try first.ask("GET", "/client").list.map { $0["name"] as? String }
        #expect(seen == ["one", "child"])
        let other = try #require(all.first { $0["name"] as? String == "two" }?["id"] as? Int)
        try first.ask("DELETE", "/client/\(other)", expecting: nil).expectRefusal(404)
        // No path for clients ends a device, or an application.
        for id in 0..<20 where !all.contains(where: { $0["id"] as? Int == id }) {
            try owner.ask("DELETE", "/client/\(id)", expecting: nil).expectRefusal(404)
        }
        let own = try #require(all.first { $0["name"] as? String == "one" }?["id"] as? Int)
        try first.ask("DELETE", "/client/\(own)")
        for gone in [first, child] {
            try gone.ask("GET", "/message", expecting: nil).expectRefusal(401)
        }
        #expect(try second.texts().isEmpty)
    }
}
