import Delivery
import Foundation
import TestSupport
import Testing

@testable import Mailbox

@Suite("The size of the WAL")
struct WALSizeTests {
    private let test: TestStore
    private let address: Address

    init() throws {
        test = try TestStore { $0.limits.quota.device = .init(messages: 20_000, bytes: 1 << 30) }
        address = try test.register(try test.addDevice()).address
    }

    private var path: String { test.path + "/" + WriterDatabase.fileName + "-wal" }

    private var size: Int {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size ?? 0
    }

    private func store(_ count: Int) throws {
        let body = String(repeating: "x", count: 4_000)
        let tickets = try (0..<count).map { _ in
            test.submit(.store(try test.message(address, body)))
        }
        for ticket in tickets {
            guard case .stored = try test.box.outcome(ticket) else { throw AnswerBox.Missing() }
        }
    }

    private func becomesSmall() -> Bool {
        let deadline = Date(timeIntervalSinceNow: 10)
        while size > CheckpointSchedule.keptBytes {
            guard Date() < deadline else { return false }
            sched_yield()
        }
        return true
    }

    @Test("After a burst it is given back within seconds, and nothing is lost")
    func burst() throws {
        try store(3_000)
        #expect(size > CheckpointSchedule.keptBytes, "\(size)")
        #expect(becomesSmall(), "\(size)")
        #expect(CheckpointSchedule.keptBytes == 8 << 20)
        #expect(try test.waiting(address.device).count == 3_000)
        try store(10)
        try test.restart()
        #expect(try test.waiting(address.device).count == 3_010)
    }

    @Test("An orderly end leaves none")
    func end() throws {
        try store(10)
        #expect(size > 0)
        try test.restart {
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("It is given back although single messages keep coming")
    func trickle() throws {
        try store(3_000)
        #expect(size > CheckpointSchedule.keptBytes, "\(size)")
        let deadline = Date(timeIntervalSinceNow: 10)
        while size > CheckpointSchedule.keptBytes, Date() < deadline {
            try store(1)
            // Shorter than the calm that cutting waits for.
            usleep(200_000)
        }
        #expect(becomesSmall(), "\(size)")
    }
}
