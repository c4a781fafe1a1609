import Base
import Foundation
import Synchronization
import Testing

@testable import Mailbox
@testable import PushService

@Suite("When a device was here")
struct DevicePresenceTests {
    private final class World: Sendable {
        let now = Mutex<Int64>(1_000_000_000)
        let writes = Mutex<[String]>([])

        var presence: DevicePresence {
            DevicePresence(clock: { self.now.withLock { $0 } }) { credential, time in
                self.writes.withLock { $0.append("\(credential)@\(time - 1_000_000_000)") }
            }
        }
        func pass(_ milliseconds: Int64) { now.withLock { $0 += milliseconds } }
        var written: [String] { writes.withLock { $0 } }
    }

    private let world = World()

    @Test("A device is connected while one of its connections is open")
    func connected() {
        let presence = world.presence
        #expect(!presence.isConnected(1) && presence.lastSeen(1) == nil)
        presence.came(1)
        presence.came(1)
        presence.left(1)
        world.pass(5_000)
        #expect(presence.isConnected(1) && !presence.isConnected(2))
        #expect(presence.lastSeen(1) == 1_000_005_000)
        presence.left(1)
        world.pass(5_000)
        #expect(!presence.isConnected(1) && presence.lastSeen(1) == 1_000_005_000)
        presence.asked(1)
        #expect(!presence.isConnected(1) && presence.lastSeen(1) == 1_000_010_000)
    }

    @Test("However often it comes and goes, the store is told once an hour")
    func hourly() {
        let presence = world.presence
        for _ in 0..<100 {
            presence.came(1)
            presence.asked(1)
            presence.left(1)
            world.pass(1_000)
        }
        presence.came(2)
        #expect(world.written == ["1@0", "2@100000"])
        // The end of a long connection is told, and the device is not silent for ever after the
        // clock was set back.
        world.pass(DevicePresence.interval)
        presence.left(2)
        #expect(world.written.dropFirst(2) == ["2@3700000"])
        world.pass(-DevicePresence.interval)
        presence.came(2)
        #expect(world.written.count == 4)
    }

    @Test("A device that ended leaves nothing behind")
    func forgotten() {
        let presence = world.presence
        presence.came(1)
        presence.forget([1])
        #expect(!presence.isConnected(1) && presence.lastSeen(1) == nil)
    }

    private func credential(_ fixture: PushFixture) throws -> DeviceCredential {
        let answer = LoadedAnswer()
        fixture.store.load(.credentials, ticket: 0, to: answer)
        guard case .credentials(let all) = answer.value else { throw POSIXError(.EIO) }
        return try #require(all.last)
    }

    /// Whether it becomes true within a minute.
    private func soon(_ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !condition() {
            guard Date() < deadline else { return false }
            usleep(2_000)
        }
        return true
    }

    @Test("Connections and requests count, and the store still knows after a restart")
    func served() throws {
        let fixture = try PushFixture { $0.loops = 2 }
        let secret = try fixture.addCredential()
        let row = fixture.store.index.counters.credential
        #expect(try credential(fixture).lastSeen == nil)
        let agents = try (0..<4).map { _ in try UserAgent(fixture, path: "/u/" + secret) }
        #expect(soon { fixture.service.presence.isConnected(row) })
        #expect(try soon { try credential(fixture).lastSeen != nil })
        for agent in agents { agent.close() }
        #expect(soon { !fixture.service.presence.isConnected(row) })
        try fixture.restart()
        let seen = try #require(try credential(fixture).lastSeen)
        #expect(abs(seen - Int64(Date().timeIntervalSince1970 * 1_000)) < 60_000)
        #expect(fixture.service.presence.lastSeen(row) == nil)
        let fields = [("Authorization", "Bearer " + secret)]
        #expect(try fixture.request("GET", "/api/v1/registrations", fields).status == 200)
        #expect(fixture.service.presence.lastSeen(row) != nil)
        #expect(!fixture.service.presence.isConnected(row))
    }

    @Test("A client without a device, or with a wrong secret, counts for none")
    func strangers() throws {
        let fixture = try PushFixture()
        _ = try fixture.addCredential()
        let row = fixture.store.index.counters.credential
        let agent = try fixture.userAgent()
        #expect(throws: UserAgent.Refused.self) { try UserAgent(fixture, path: "/u/wrong") }
        let fields = [("Authorization", "Bearer wrong")]
        #expect(try fixture.request("GET", "/api/v1/registrations", fields).status == 401)
        #expect(fixture.service.presence.lastSeen(row) == nil)
        agent.close()
    }
}

// Unchecked: the semaphore orders all access.
private final class LoadedAnswer: StoreSink, @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var answer: LoadAnswer?

    func completed(_ completions: [CompletedOperation]) {}
    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        self.answer = answer
        semaphore.signal()
    }
    var value: LoadAnswer? {
        semaphore.wait()
        return answer
    }
}
