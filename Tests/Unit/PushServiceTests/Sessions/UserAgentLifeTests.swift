import Base
import Foundation
import TestSupport
import Testing

@testable import Mailbox

@Suite("The life of a user agent")
struct UserAgentLifeTests {
    @Test("Nothing is stored about a user agent that never registered")
    func notStored() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        agent.close()
        #expect(try fixture.userAgent(agent.uaid).uaid != agent.uaid)
        #expect(fixture.store.index.deviceCount == 0)
    }

    @Test(
        "A user agent that registered is recognised in any spelling of its id, even after a restart"
    )
    func known() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        _ = try agent.register()
        agent.close()
        let uaid = agent.uaid
        let dashed = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map {
            String(Array(uaid)[$0])
        }.joined(separator: "-")
        for spelling in [uaid, uaid.uppercased(), dashed] {
            #expect(try fixture.userAgent(spelling).uaid == uaid)
        }
        try fixture.restart()
        #expect(try fixture.userAgent(uaid).uaid == uaid)
        #expect(fixture.store.index.deviceCount == 1)
    }

    @Test("A user agent that unregistered everything is still known")
    func withoutChannels() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        _ = try agent.register(channel)
        try agent.unregister(channel)
        agent.close()
        #expect(try fixture.userAgent(agent.uaid).uaid == agent.uaid)
    }

    @Test(
        "A newer connection ends the older one with 1011, on one or several loops",
        arguments: [1, 3])
    func replaced(_ loops: Int) throws {
        let fixture = try PushFixture { $0.loops = loops }
        var current = try fixture.userAgent()
        let endpoint = try current.register()
        for number in 0..<12 {
            let newer = try fixture.userAgent(current.uaid)
            #expect(newer.uaid == current.uaid)
            #expect(current.closing() == "1011 SM")
            #expect(try fixture.push(endpoint, "\(number)").status == 201)
            let notification = try newer.notification()
            #expect(notification.body == "\(number)")
            newer.ack(notification)
            current = newer
        }
    }

    @Test("A client that does not answer a close frame is soon disconnected")
    func closeUnanswered() throws {
        let agent = try UserAgent(try PushFixture())
        agent.send("bad-data")
        #expect(agent.closing() == "1011 Json")
        let end = ContinuousClock().measure { _ = agent.socket.bytes(1) }
        #expect(end < .seconds(4))
    }

    @Test("A user agent made under a credential is usable only under the same one")
    func credentials() throws {
        let fixture = try PushFixture()
        let secrets = try (0..<2).map { _ in try fixture.addCredential() }
        let agent = try UserAgent(fixture, path: "/u/\(secrets[0])")
        try agent.hello()
        _ = try agent.register()
        agent.close()
        #expect(try fixture.userAgent(agent.uaid).uaid != agent.uaid)
        let other = try UserAgent(fixture, path: "/u/\(secrets[1])")
        try other.hello(agent.uaid)
        #expect(other.uaid != agent.uaid)
        let same = try UserAgent(
            fixture, [("Authorization", "Bearer \(secrets[0])")])
        try same.hello(agent.uaid)
        #expect(same.uaid == agent.uaid)
        let open = try fixture.userAgent()
        _ = try open.register()
        let under = try UserAgent(fixture, path: "/u/\(secrets[0])")
        try under.hello(open.uaid)
        #expect(under.uaid != open.uaid)
    }

    @Test("The id of a user agent is not in the files")
    func secret() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        _ = try agent.register()
        let text = Array(agent.uaid.utf8)
        let id = Bits128(uuid: text.span) ?? Bits128(high: 0, low: 0)
        var raw: [UInt8] = []
        raw.append(bigEndian: id.high)
        raw.append(bigEndian: id.low)
        let data = try contents(ofFolder: fixture.folder.file("state"))
        #expect(!data.isEmpty)
        #expect(data.range(of: Data(raw)) == nil)
        #expect(data.range(of: Data(agent.uaid.utf8)) == nil)
    }
}
