import Delivery
import Foundation
import SQLite
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
}
