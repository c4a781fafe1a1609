import Base
import Foundation
import Testing
import Topics
import WebPush

@testable import PushService

@Suite("Pushes to the endpoint of a topic")
struct WaysInTests {
    private let fixture: PushFixture
    private let app: RegisteredApp

    init() throws {
        fixture = try PushFixture()
        app = try RegisteredApp(
            fixture, app: AccountName.scripts, #","dialect":"plain","trust_clear":true"#)
    }

    @Test("Whatever way it comes, each push is one message of the history")
    func history() throws {
        #expect(try app.push("encrypted").status == 201)
        #expect(try app.raw(Array("text".utf8)).status == 201)
        let json = #"{"title":"A","message":"json","priority":1,"tags":["x"],"click":"https://a/"}"#
        #expect(try app.raw(Array(json.utf8), [("X-Priority", "5")]).status == 201)
        let note = #"{"heartbeat":null,"monitor":null,"msg":"Shop is down"}"#
        #expect(try app.raw(Array(note.utf8)).status == 201)
        let kept = try fixture.history("me")
        #expect(kept.count == 4 && kept.allSatisfy { $0.kind == .message })
        #expect(kept.map(\.content.text).prefix(3) == ["encrypted", "text", "json"])
        let third = kept[2].content
        #expect(third.title == "A" && third.tags == ["x"] && third.click == "https://a/")
        #expect(third.priority == 1)
        #expect(kept[3].content.text.contains("Shop"))
        #expect(kept.allSatisfy { $0.expires == $0.time + 30 * 86_400 })
    }

    @Test("What is pushed twice, or for now alone, or unreadable, is not kept again")
    func unkept() throws {
        let push = try app.encrypted("once")
        for _ in 0..<2 { #expect(try app.send(push).status == 201) }
        #expect(try app.push("now", ttl: "0").status == 201)
        #expect(try fixture.history("me").map(\.content.text) == ["once"])
    }

    @Test("A push leaves the screen by its Location, and by the id of its message")
    func withdrawal() throws {
        let first = try app.raw(Array("first".utf8))
        _ = try app.raw(Array("second".utf8))
        let screen = try EngineViewer(
            fixture, bearer: app.bearer, account: "me", app: AccountName.scripts)
        #expect(screen.texts == ["first", "second"])
        let location = try #require(first["location"])
        #expect(try fixture.request("DELETE", location).status == 204)
        try screen.settle()
        #expect(screen.texts == ["second"])
        let second = try #require(try fixture.history("me").last { $0.kind == .message })
        #expect(try fixture.ntfy("DELETE", "/me/\(second.id.text)", app.bearer).status == 200)
        try screen.settle()
        #expect(screen.texts.isEmpty)
    }

    @Test("The Topic of a push is the sequence of its message")
    func topic() throws {
        for text in ["a", "b"] {
            #expect(try app.raw(Array(text.utf8), [("Topic", "build")]).status == 201)
        }
        let screen = try EngineViewer(
            fixture, bearer: app.bearer, account: "me", app: AccountName.scripts)
        #expect(screen.texts == ["b"])
        #expect(try fixture.history("me").map(\.sequence) == ["build", "build"])
        #expect(try fixture.ntfy("PUT", "/me/build/clear", app.bearer).status == 200)
        try screen.settle()
        #expect(screen.texts.isEmpty)
    }

    @Test("Registrations of applications have no history")
    func applications() throws {
        let other = try RegisteredApp(fixture)
        #expect(try other.push("x").status == 201)
        #expect(try fixture.history("me").isEmpty)
        #expect(try other.payloads() == ["x"])
    }
}
