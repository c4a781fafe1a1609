import Foundation
import Testing
import Topics

@Suite("Gotify's stream")
struct GotifyStreamTests {
    private let fixture: PushFixture
    private let owner: GotifyCaller

    init() throws {
        fixture = try PushFixture()
        owner = try GotifyCaller(fixture)
    }

    private func stream(of caller: GotifyCaller, path: String = "/stream") throws -> UserAgent {
        try UserAgent(fixture, path: path, caller.fields)
    }

    @Test("A client hears each message as its list has it, also of later applications")
    func messages() throws {
        let client = try owner.makeClient()
        let first = try owner.makeApplication("first one")
        try first.sender.publish("before")
        let token = try #require(client.fields.first?.1)
        let streams = [
            try stream(of: client), try stream(of: owner, path: "/gotify//stream/"),
            try UserAgent(fixture, path: "/stream?token=\(token)"),
        ]
        try first.sender.publish("during")
        let second = try owner.makeApplication("zweite")
        try second.sender.ask("POST", "/message", #"{"message":"later","priority":8}"#)
        let list = try owner.ask("GET", "/message").messages
        for stream in streams {
            let (during, later) = (try stream.members(), try stream.members())
            #expect(during as NSDictionary == list[1] as NSDictionary)
            #expect(during["title"] as? String == "first one")
            #expect(later as NSDictionary == list[0] as NSDictionary)
        }
    }

    @Test("Without a right there is no stream, and without a handshake there is none either")
    func refused() throws {
        let application = try owner.makeApplication("app")
        let wrong = GotifyCaller(fixture, key: "Cwrongwrongwrong")
        for (caller, status) in [(wrong, 401), (application.sender, 403)] {
            let refused = #expect(throws: UserAgent.Refused.self) { try stream(of: caller) }
            #expect(refused?.status == status)
            try caller.ask("GET", "/stream", expecting: nil).expectRefusal(status)
        }
        try owner.ask("GET", "/stream", expecting: nil).expectRefusal(400)
    }

    @Test("A stream has what the token's pattern names, and no topics of UnifiedPush")
    func pattern() throws {
        let reader = try GotifyCaller.token(.client, "c*", [.read], of: fixture)
        let stream = try stream(of: reader)
        let (hidden, seen) = (try owner.makeApplication("home"), try owner.makeApplication("ci"))
        try hidden.sender.publish("hidden")
        try seen.sender.publish("seen")
        #expect(try stream.members()["message"] as? String == "seen")
    }

    @Test("A stream ends with the client that opened it, and others go on")
    func end() throws {
        let (client, other) = (try owner.makeClient("one"), try owner.makeClient("two"))
        let (ended, kept) = (try stream(of: client), try stream(of: other))
        let id = try #require(try client.ask("GET", "/client").list.first?["id"] as? Int)
        try owner.ask("DELETE", "/client/\(id)")
        _ = ended.closing()
        try owner.makeApplication("app").sender.publish("m")
        #expect(try kept.members()["message"] as? String == "m")
    }
}
