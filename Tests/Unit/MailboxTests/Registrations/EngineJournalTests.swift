import Base
import Foundation
import Notifications
import SQLite
import Testing

@testable import Mailbox

/// The stored changes of engines.
@Suite("The journal of engines")
struct EngineJournalTests {
    private func accounts(_ test: TestStore, _ names: String...) throws -> [Subscription] {
        try names.map { name in
            let terms = #"{"token_type":10,"app":"telegram","account":"\#(name)"}"#
            return try test.addRegistration(terms).1
        }
    }

    /// Many pushes at once, so that they share batches; each one in turn for all accounts.
    private func push(
        _ test: TestStore, _ accounts: [Subscription], _ numbers: Range<Int>, text: String
    ) throws {
        let pushes = try accounts.map { try test.push($0.address.device) }
        let tickets = try numbers.flatMap { number in
            try zip(accounts, pushes).map { account, push in
                let chat = number % 20 + 1_000 * Int(account.address.device)
                let payload =
                    #"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","\#(text) \#(number)"],"#
                    + #""custom":{"from_id":"\#(chat)","msg_id":"\#(number + 1)"}}}"#
                let message = try test.message(account.address, payload)
                return test.submit(.registration(.receive(message, nil, push)))
            }
        }
        for ticket in tickets { _ = try test.box.outcome(ticket) }
    }

    private func number(_ test: TestStore, _ sql: String) throws -> Int {
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        let select = try Statement(sql, on: connection)
        return try select.step() ? Int(select.integer(0)) : 0
    }

    private func size(_ test: TestStore) throws -> Int {
        // Work between batches is done once the next batch is.
        _ = try test.run(.touchDevice(0, at: 0))
        return try number(test, "SELECT coalesce(sum(length(sealed)), 0) FROM engine_record")
    }

    @Test("A batch adds one record, and each engine finds its part in it")
    func batches() throws {
        let test = try TestStore()
        let accounts = try accounts(test, "a", "b", "c")
        let engines = accounts.map(\.address.device)
        let before = try number(test, "SELECT batch FROM state")
        try push(test, accounts, 0..<300, text: "message")
        let records = try number(test, "SELECT count(*) FROM engine_record")
        #expect(records > 0)
        #expect(records <= (try number(test, "SELECT batch FROM state")) - before)
        let shown = try test.welcomes(engines)
        #expect(shown.allSatisfy { $0.joined().contains("message 299") })
        try test.restart()
        #expect(try test.welcomes(engines) == shown)
    }

    @Test("At its size limit, the accounts in the oldest records are written")
    func bound() throws {
        let test = try TestStore { $0.limits.engineJournal = 512 << 10 }
        let (accounts, rare) = (try accounts(test, "a", "b"), try accounts(test, "rare"))
        let engines = (accounts + rare).map(\.address.device)
        // With a fetcher, nothing is kept for later clients.
        let listener = WelcomeListener()
        for engine in engines {
            test.store.index.engines.listen(listener, to: engine)
            test.store.index.engines.addFetcher(of: engine)
        }
        try push(test, rare, 0..<1, text: "once")
        let text = String(repeating: "x", count: 2_000)
        for start in stride(from: 0, to: 200, by: 20) {
            try push(test, accounts, start..<start + 20, text: text)
        }
        let shown = try test.welcomes(engines)
        #expect(shown.map { $0.joined().contains("x 199") } == [true, true, false])
        #expect(shown[2].joined().contains("once 0"))
        #expect(try size(test) > 256 << 10)
        #expect(try size(test) <= 512 << 10)
        try test.restart()
        // The count of dropped messages is not kept either.
        #expect(try test.welcomes(engines).map(withoutCounts) == shown.map(withoutCounts))
    }

    @Test("Engines without room in memory are read again for each batch, unchanged")
    func givenUp() throws {
        let shown = try [0, 64 << 20].map { room in
            let test = try TestStore { $0.limits.engineMemory = room }
            let accounts = try accounts(test, "a", "b", "c")
            for start in stride(from: 0, to: 60, by: 5) {
                try push(test, accounts, start..<start + 5, text: "message")
            }
            return try test.welcomes(accounts.map(\.address.device))
        }
        #expect(shown[0] == shown[1])
        #expect(shown[0].allSatisfy { $0.joined().contains("message 59") })
    }

    private func withoutCounts(_ texts: [String]) -> String {
        texts.joined().replacing(/"total_count":[0-9]+/, with: "")
    }

    @Test("An ended engine leaves nothing in the journal, and the others stay whole")
    func ended() throws {
        let test = try TestStore { $0.limits.engineJournal = 48 << 10 }
        let accounts = try accounts(test, "a", "b")
        try push(test, accounts, 0..<50, text: String(repeating: "x", count: 200))
        let (all, shown) = (try size(test), try test.welcomes([accounts[1].address.device]))
        try test.expectDone(.removeDevice(accounts[0].address.device))
        #expect(try size(test) < all * 6 / 10)
        try test.restart()
        #expect(try test.welcomes([accounts[1].address.device]) == shown)
        // Deleted records no longer count: new ones stay, though in total there were more than the
        // limit.
        for name in ["c", "d", "e"] {
            let next = try self.accounts(test, name)
            try push(test, next, 0..<50, text: String(repeating: "x", count: 200))
            #expect(try size(test) > 20 << 10)
            try test.expectDone(.removeDevice(next[0].address.device))
        }
        try test.expectDone(.removeDevice(accounts[1].address.device))
        #expect(try size(test) < 8 << 10)
    }
}
