import Base
import Foundation
import Testing

@testable import Mailbox
@testable import PushService

@Suite("A session that asks for more than it may")
struct SessionFloodTests {
    @Test("Repeated acknowledgements cost the store nothing if no message waits")
    func unknown() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        #expect(try fixture.push(try agent.register(), "a").status == 201)
        let notification = try agent.notification()
        for _ in 0..<1_000 { agent.ack(notification) }
        try agent.settle()
        #expect(fixture.gate.count(of: .acknowledge) <= 1)
    }

    /// The seconds that it takes.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = Date()
        try body()
        return Date().timeIntervalSince(start)
    }

    @Test("A session that asks too fast is read more slowly, and still answered")
    func pace() throws {
        let fixture = try PushFixture {
            $0.settings = { $0.userAgentPace = PaceLimit(atOnce: 10, perSecond: 100) }
        }
        let agent = try fixture.userAgent()
        let taken = try time {
            for _ in 0..<60 { _ = try agent.register() }
        }
        // Of the 61 messages before the last, ten are free.
        #expect(taken > 0.45 && taken < 10)
    }

    @Test("While messages wait, unknown ids are acknowledged no faster than the pace")
    func waiting() throws {
        let fixture = try PushFixture {
            $0.settings = { $0.userAgentPace = PaceLimit(atOnce: 40, perSecond: 1_000) }
        }
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for number in 0..<140 { #expect(try fixture.push(endpoint, "\(number)").status == 201) }
        let first = try agent.notification()
        agent.ack(first)
        // The window is full and the store has more, so an unknown id may be one that waits there.
        #expect(try agent.bodies(127).first == "1")
        let taken = try time {
            for _ in 0..<1_000 { agent.ack(first) }
            try agent.settle()
        }
        // One buffer is read along with the messages that were too many.
        #expect(taken > 0.3 && taken < 10)
    }

    @Test("A store that records slowly slows a session down, and loses none of its messages")
    func crowded() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for number in 0..<20 { #expect(try fixture.push(endpoint, "\(number)").status == 201) }
        let notifications = try (0..<20).map { _ in try agent.notification() }
        fixture.gate.shut(.acknowledge)
        for notification in notifications { agent.ack(notification) }
        #expect(fixture.gate.await(.acknowledge, 20))
        fixture.gate.open()
        try agent.settle()
        #expect(fixture.store.index.usage(ofDevice: 1).messages == 0)
    }
}
