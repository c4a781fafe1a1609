import Delivery
import Foundation
import SQLite
import System
import TestSupport
import Testing

@testable import Mailbox

@Suite("Free pages")
struct FreePagesTests {
    private let test: TestStore
    private let address: Address

    init() throws {
        test = try TestStore { $0.limits.quota.device = .init(messages: 20_000, bytes: 1 << 30) }
        address = try test.register(try test.addDevice()).address
    }

    private var path: String { test.path + "/" + WriterDatabase.fileName }

    private func size(of path: String) -> Int {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size ?? 0
    }

    /// Messages that come and go, and leave the file large.
    private func burst(_ count: Int) throws {
        let body = String(repeating: "x", count: 4_000)
        let messages = try (0..<count).map { _ in try test.message(address, body) }
        for ticket in messages.map({ test.submit(.store($0)) }) {
            guard case .stored = try test.box.outcome(ticket) else { throw AnswerBox.Missing() }
        }
        for ticket in messages.map({ test.submit(.acknowledge($0.reference)) }) {
            #expect(try test.box.outcome(ticket) == .done)
        }
    }

    /// Whether the file gets such a size within twenty seconds.
    private func becomes(_ fits: (Int) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 20)
        while !fits(size(of: path)), Date() < deadline { usleep(2_000) }
        return fits(size(of: path))
    }

    @Test("After a burst the file is given back when nothing happens, and nothing is lost")
    func givenBack() throws {
        let kept = try test.keep(address, "before")
        try burst(3_000)
        // The idle writer first copies the log into the file.
        #expect(becomes { $0 > 8 << 20 })
        #expect(becomes { $0 < 2 << 20 }, "\(size(of: path))")
        #expect(try test.waiting(address.device).map(\.id) == [kept.id])
        try test.keep(address, "after")
        try test.restart()
        #expect(try test.bodies(address.device) == ["before", "after"])
    }

    @Test("A copy leaves free pages out")
    func copied() throws {
        let kept = try test.keep(address, "kept")
        try burst(3_000)
        let copy = try StoreCopy(of: test.path)
        #expect(size(of: copy.path) < 2 << 20)
        let connection = try Connection(copy.path, .asItIs)
        #expect(try connection.damage(.thorough) == nil)
        #expect(try test.waiting(address.device).map(\.id) == [kept.id])
    }

    /// Of a store whose thread has ended. More than half of its file is free, before what is used.
    private func executor() throws -> BatchExecutor {
        let source = test.store.writer.source
        test.close()
        let executor = try source.reopen()
        for (name, rows) in [("first", 3_500), ("second", 3_000)] {
            try executor.transaction.connection.execute(
                """
                CREATE TABLE \(name) AS WITH RECURSIVE number(n) AS
                (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(rows))
                SELECT zeroblob(4000) FROM number
                """)
        }
        try executor.transaction.connection.execute("DROP TABLE first")
        #expect(try executor.checkpoint(.truncating))
        return executor
    }

    /// What the idle writer does, as often as something has to be done.
    private func rest(
        _ schedule: inout FreePageSchedule, _ executor: BatchExecutor, times: Int = 5_000
    ) throws {
        var now = Boot.milliseconds
        for _ in 0..<times {
            guard let patience = schedule.patience(executor, at: now) else { return }
            now += patience
            if executor.walPages > CheckpointSchedule.idlePages {
                _ = try executor.checkpoint(.passive)
            }
            try schedule.rest(executor, at: now)
        }
    }

    @Test("On a full disk they are given back later, and the store goes on", .alone("own tables"))
    func full() throws {
        let executor = try executor()
        var schedule = FreePageSchedule()
        let disk = try FullDisk(for: path + "-wal")
        try rest(&schedule, executor, times: 3)
        #expect(try executor.pages().free > 3_000)
        #expect(schedule.patience(executor, at: Boot.milliseconds) != nil)
        disk.end()
        try executor.commitNothing()
        try rest(&schedule, executor)
        #expect(try executor.pages().free == 0)
        try executor.commitNothing()
    }

    @Test("They wait while a reader holds the WAL back", .alone("own tables"))
    func heldBack() throws {
        let executor = try executor()
        var schedule = FreePageSchedule()
        do {
            let reader = try Connection(path, .readOnly)
            try reader.beginReading()
            try rest(&schedule, executor, times: 100)
            #expect(executor.walPages < 1_500, "\(executor.walPages)")
        }
        try rest(&schedule, executor)
        #expect(try executor.pages().free == 0)
    }
}

/// Nothing more can be written to a file that this process has open.
private struct FullDisk {
    private var former: [(descriptor: Int32, copy: Int32)] = []

    init(for path: String) throws {
        let full = Foundation.open("/dev/full", O_RDWR)
        defer { close(full) }
        let open = (Int32(0)..<1_024).filter { descriptor in
            let link = "/proc/self/fd/\(descriptor)"
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
        }
        for descriptor in open {
            former.append((descriptor, dup(descriptor)))
            dup2(full, descriptor)
        }
        try #require(!former.isEmpty)
    }

    func end() {
        for (descriptor, copy) in former {
            dup2(copy, descriptor)
            close(copy)
        }
    }
}
