import Base
import Foundation
import Testing

@testable import Mailbox
@testable import PushService

@Suite("User agents without a device, while registration is open")
struct StrangerTests {
    /// A server behind a proxy that names the client's address.
    private func fixture(
        _ change: @escaping (inout PushFixture.Plan) -> Void
    ) throws -> PushFixture {
        try PushFixture { plan in
            plan.loops = 2
            plan.listener.trustedProxies = [IPAddress(v4: 0x7F00_0001)]
            change(&plan)
        }
    }

    private func agent(_ fixture: PushFixture, from address: String) throws -> UserAgent {
        try UserAgent(fixture, [("X-Forwarded-For", address)])
    }

    @Test("The connections without a credential are limited for each network")
    func connections() throws {
        let fixture = try fixture { $0.settings = { $0.strangersPerNetwork = 3 } }
        var held = try (1...3).map { try agent(fixture, from: "2001:db8::\($0)") }
        for address in ["2001:db8::1", "2001:db8::ffff:1"] {
            do {
                _ = try agent(fixture, from: address)
                Issue.record("a fourth one")
            } catch let refused as UserAgent.Refused { #expect(refused.status == 429) }
        }
        for address in ["2001:db8:0:1::1", "192.0.2.1", "192.0.2.2", "::1"] {
            _ = try agent(fixture, from: address)
        }
        let secret = try fixture.addCredential()
        _ = try UserAgent(fixture, path: "/u/" + secret, [("X-Forwarded-For", "2001:db8::1")])
        held.removeLast().close()
        let deadline = ContinuousClock.now + .seconds(5)
        var isBack = false
        while !isBack, ContinuousClock.now < deadline {
            isBack = (try? agent(fixture, from: "2001:db8::9")) != nil
        }
        #expect(isBack)
    }

    @Test("A full quota of one network does not affect others, even after a restart")
    func room() throws {
        let fixture = try fixture { plan in
            plan.store = { $0.limits.quota.network = .init(messages: 30, bytes: 1 << 20) }
        }
        func endpoint(_ address: String) throws -> String {
            let agent = try agent(fixture, from: address)
            try agent.hello()
            defer { agent.close() }
            return try agent.register()
        }
        let greedy = try endpoint("192.0.2.1")
        let (same, other) = (try endpoint("192.0.2.1"), try endpoint("192.0.2.2"))
        let answers = try (0..<31).map { _ in try fixture.push(greedy, "x").status }
        #expect(answers == [Int](repeating: 201, count: 30) + [429])
        for _ in 0..<2 {
            #expect(try fixture.push(same, "x").status == 429)
            #expect(try fixture.push(other, "x").status == 201)
            try fixture.restart()
        }
    }
}
