import Crypto
import Foundation
import TestSupport
import Testing

@testable import Mailbox

/// A server that goes on under another address, and is still reached by the former one.
@Suite("After a move to another address")
struct MovedServerTests {
    private static let old = "https://old.example"

    private let folder: TemporaryFolder
    private let key: MasterKey

    init() throws {
        folder = try TemporaryFolder()
        key = try MasterKey.generate()
    }

    private func serve(_ change: (inout PushFixture.Plan) -> Void) throws -> PushFixture {
        let (path, key) = (folder.file("state"), key)
        return try PushFixture { plan in
            plan.store = { options in
                options.folder = path
                options.masterKey = key
            }
            change(&plan)
        }
    }

    private func before() throws -> PushFixture { try serve { $0.baseURL = Self.old } }
    private func after() throws -> PushFixture { try serve { $0.aliases = [Self.old] } }

    /// Registers one channel before the move; returns the identity and the endpoint.
    private func register(
        extensions: String = ""
    ) throws -> (uaid: String, channel: String, endpoint: String) {
        let fixture = try before()
        let agent = try UserAgent(fixture, host: "old.example")
        try agent.hello(extensions: extensions)
        let channel = UserAgent.channel()
        let endpoint = try agent.register(channel)
        #expect(endpoint.hasPrefix(Self.old + "/"))
        agent.close()
        return (agent.uaid, channel, endpoint)
    }

    @Test("A browser gets a new identity, and with it new endpoints; its former ones end")
    func browser() throws {
        let known = try register()
        let fixture = try after()
        let agent = try UserAgent(fixture, host: "old.example")
        try agent.hello(known.uaid)
        #expect(agent.uaid != known.uaid)
        #expect(try fixture.push(known.endpoint).code == "410/106")
        let endpoint = try agent.register(known.channel)
        #expect(endpoint.hasPrefix("https://push.example/"))
        #expect(try fixture.push(endpoint).status == 201)
        agent.ack(try agent.notification())
        agent.close()
        #expect(try fixture.userAgent(agent.uaid).uaid == agent.uaid)
        #expect(fixture.store.index.deviceCount == 1)
    }

    @Test("What waits for a browser is delivered before it gets a new identity")
    func waiting() throws {
        let known = try register()
        do { #expect(try before().push(known.endpoint, "kept").status == 201) }
        let fixture = try after()
        let agent = try fixture.userAgent(known.uaid)
        #expect(agent.uaid == known.uaid)
        let message = try agent.notification()
        #expect(message.body == "kept")
        agent.ack(message)
        try agent.settle()
        agent.close()
        #expect(try fixture.userAgent(known.uaid).uaid != known.uaid)
    }

    @Test("A message that comes at the last moment stops the change of identity")
    func race() throws {
        let known = try register()
        let fixture = try after()
        fixture.gate.shut(.other)
        let agent = try UserAgent(fixture)
        agent.send(#"{"messageType":"hello","use_webpush":true,"uaid":"\#(known.uaid)"}"#)
        #expect(fixture.gate.await(.other, 1))
        #expect(try fixture.push(known.endpoint, "late").status == 201)
        fixture.gate.open()
        #expect(try agent.members()["uaid"] as? String == known.uaid)
        #expect(try agent.notification().body == "late")
    }

    @Test("A client that asks for extensions keeps its identity and learns the new address")
    func extensions() throws {
        let known = try register(extensions: #""ttl""#)
        let fixture = try after()
        let agent = try fixture.userAgent(known.uaid, extensions: #""ttl""#)
        #expect(agent.uaid == known.uaid)
        let endpoint = try agent.register(known.channel)
        #expect(endpoint == "https://push.example" + known.endpoint.dropFirst(Self.old.count))
        for address in [known.endpoint, endpoint] {
            #expect(try fixture.push(address).status == 201)
        }
    }

    @Test("A client that would not register again keeps its identity and its endpoints")
    func plainHello() throws {
        let known = try register()
        let fixture = try after()
        let agent = try UserAgent(fixture, host: "old.example")
        agent.send(#"{"messageType":"hello","uaid":"\#(known.uaid)"}"#)
        #expect(try agent.members()["uaid"] as? String == known.uaid)
        #expect(try fixture.push(known.endpoint, "there").status == 201)
        #expect(try agent.notification().body == "there")
    }

    @Test("Back under the former address, nobody who stayed has to change")
    func andBack() throws {
        let known = try register()
        do { _ = try after() }
        let agent = try UserAgent(try before(), host: "old.example")
        try agent.hello(known.uaid)
        #expect(agent.uaid == known.uaid)
    }
}
