import Base
import Foundation
import SQLite
import Testing

@testable import Mailbox

@Suite("Large accounts")
struct AccountPartsTests {
    private static let part = 16 << 10

    private func store() throws -> TestStore {
        try TestStore { $0.limits.accountPart = Self.part }
    }

    private func account(_ test: TestStore, _ name: String) throws -> Subscription {
        try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"\#(name)"}"#
        ).1
    }

    private func push(_ test: TestStore, _ account: Subscription, _ numbers: Range<Int>) throws {
        let push = try test.push(account.address.device)
        let text = String(repeating: "x", count: 1_000)
        var rest = Array(numbers)
        let deadline = Date(timeIntervalSinceNow: 60)
        while !rest.isEmpty, Date() < deadline {
            let tickets = try rest.map { number in
                let payload =
                    #"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","\#(text) \#(number)"],"#
                    + #""custom":{"from_id":"\#(number % 40 + 1)","msg_id":"\#(number + 1)"}}}"#
                let message = try test.message(account.address, payload)
                return (number, test.submit(.registration(.receive(message, nil, push))))
            }
            // Nodes that take too many turns refuse some, which senders repeat.
            rest = try tickets.filter { try test.box.outcome($0.1) == .unavailable }.map(\.0)
        }
        #expect(rest.isEmpty)
    }

    private func number(_ test: TestStore, _ sql: String) throws -> Int {
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        let select = try Statement(sql, on: connection)
        return try select.step() ? Int(select.integer(0)) : 0
    }

    private func parts(_ test: TestStore) throws -> Int {
        try number(test, "SELECT count(*) FROM engine_record WHERE length(engines) % 4 = 1")
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

    /// The account is stored in parts, and there are no others.
    private func isWritten(_ test: TestStore) throws -> Bool {
        let size = try number(test, "SELECT max(size) FROM engine")
        let row = try number(test, "SELECT max(length(sealed)) FROM engine")
        let parts = "engine_record WHERE length(engines) % 4 = 1"
        return try size > row
            && size - row == number(test, "SELECT sum(length(sealed)) FROM \(parts)")
    }

    @Test("A large account is written in parts, none larger than a commit may be")
    func parts() throws {
        let test = try store()
        let account = try account(test, "a")
        for start in stride(from: 0, to: 400, by: 20) {
            try push(test, account, start..<start + 20)
        }
        #expect(try soon { try isWritten(test) })
        #expect(try parts(test) > 3)
        let largest = "SELECT max(length(sealed)) FROM"
        #expect(try number(test, largest + " engine") < Self.part)
        let most = try number(test, largest + " engine_record WHERE length(engines) % 4 = 1")
        #expect(most > Self.part && most < Self.part + 256)
        let engine = account.address.device
        let shown = try test.welcomes([engine])
        #expect(shown[0].joined().contains("x 399"))
        try test.restart()
        #expect(try test.welcomes([engine]) == shown)
        // What comes later replaces all parts.
        try push(test, account, 400..<600)
        #expect(try soon { try isWritten(test) })
        let later = try test.welcomes([engine])
        try test.restart()
        #expect(try test.welcomes([engine]) == later)
    }

    @Test("Whenever the store ends, an account that was being written is whole at the next start")
    func interrupted() throws {
        let test = try store()
        let account = try account(test, "a")
        let engine = account.address.device
        for round in 0..<12 {
            try push(test, account, round * 50..<(round + 1) * 50)
            let shown = try test.welcomes([engine])
            for _ in 0..<round { _ = try test.run(.touchDevice(0, at: 0)) }
            try test.restart()
            #expect(try test.welcomes([engine]) == shown)
        }
        try push(test, account, 600..<900)
        #expect(try soon { try isWritten(test) })
    }

    /// A store that followed the log of a group up to an entry, and ended there.
    private func store(of group: FollowingTests.Group, after entry: Int64) throws -> TestStore {
        let options = group.stores[0].options
        let origin = try #require(options.log?.origin)
        let log = MemoryLog(group.log, through: entry)
        let store = try TestStore {
            $0.masterKey = options.masterKey
            $0.log = log.seat("node-0", origin)
            $0.limits = options.limits
        }
        store.clocks.set { $0 = group.stores[0].clocks.now }
        return store
    }

    /// Does something while no account is written, and then waits until the account is. Returns the
    /// last entry before that.
    private func write(
        in group: FollowingTests.Group, after body: () throws -> Void
    ) throws -> Int64 {
        let test = group.stores[0]
        let position = "SELECT max(position) FROM engine"
        group.log.isCurrent = false
        let former = try number(test, position)
        try body()
        let last = group.log.last
        group.log.isCurrent = true
        #expect(try soon { try number(test, position) > former && isWritten(test) })
        return last
    }

    @Test("After each part, what is stored is the former account with all that was done since")
    func everyPart() throws {
        let group = try FollowingTests.Group(1) { $0.limits.accountPart = Self.part }
        let test = group.stores[0]
        let account = try account(test, "a")
        let engine = account.address.device
        _ = try write(in: group) { try push(test, account, 0..<100) }
        var shown: [[String]] = []
        let last = try write(in: group) {
            try push(test, account, 100..<300)
            shown = try test.welcomes([engine])
        }
        let parts = try parts(test)
        #expect(parts > 3 && group.log.last - last > parts)
        // The first ones, and some of the others.
        let end = group.log.last
        for entry in Array(last..<last + 3) + stride(from: last + 3, through: end, by: 5) {
            let ended = try store(of: group, after: entry)
            // Parts of an account that was never finished do not stay.
            #expect(try soon { try isWritten(ended) })
            #expect(try ended.welcomes([engine]) == shown)
        }
    }

    @Test("Nothing of an account is written while nobody leads the log")
    func leaderless() throws {
        let group = try FollowingTests.Group(1) { $0.limits.accountPart = Self.part }
        let test = group.stores[0]
        let account = try account(test, "a")
        group.log.isCurrent = false
        for start in stride(from: 0, to: 200, by: 20) {
            try push(test, account, start..<start + 20)
        }
        usleep(50_000)
        #expect(try parts(test) == 0)
        group.log.isCurrent = true
        #expect(try soon { try isWritten(test) })
    }

    @Test("What an account drops for its room is dropped at each node, and after each end")
    func room() throws {
        let group = try FollowingTests.Group(2) {
            $0.limits.accountPart = Self.part
            $0.limits.growth.engine = 256 << 10
        }
        let (test, other) = (group.stores[0], group.stores[1])
        let account = try account(test, "a")
        let engine = account.address.device
        try group.settle()
        // The chats that were silent for longest are hidden.
        let last = try write(in: group) {
            for start in stride(from: 0, to: 160, by: 8) {
                for store in group.stores { store.clocks.advance(seconds: 1) }
                try push(test, account, start..<start + 8)
            }
        }
        let (end, parts) = (group.log.last, try parts(test))
        // A message in a chat that was dropped begins it anew.
        func next(_ test: TestStore) throws -> [[String]] {
            try push(test, account, 160..<161)
            return try test.welcomes([engine])
        }
        let expected = try next(test)
        try group.settle()
        #expect(try other.welcomes([engine]) == expected)
        let results = try (last...end).map { entry in
            try next(store(of: group, after: entry)) == expected
        }
        // It drops something before the first part is written.
        let dropped = results.drop { !$0 }
        #expect(!results[0] && dropped.count > parts && dropped.allSatisfy { $0 })
        try push(other, account, 161..<162)
        try group.settle()
        #expect(try test.welcomes([engine]) == other.welcomes([engine]))
        try group.expectAlike()
    }

    @Test("An ended account leaves none of its parts, and others stay whole")
    func ended() throws {
        let test = try store()
        let accounts = [try account(test, "a"), try account(test, "b")]
        for account in accounts { try push(test, account, 0..<200) }
        #expect(try soon { try parts(test) > 6 })
        let shown = try test.welcomes([accounts[1].address.device])
        try test.expectDone(.removeDevice(accounts[0].address.device))
        #expect(try soon { try isWritten(test) })
        try test.restart()
        #expect(try test.welcomes([accounts[1].address.device]) == shown)
        try test.expectDone(.removeDevice(accounts[1].address.device))
        #expect(try parts(test) == 0)
    }

    @Test("Two nodes that take pushes for a large account keep the same, and all of it")
    func nodes() throws {
        let group = try FollowingTests.Group(2) { $0.limits.accountPart = Self.part }
        let (first, second) = (group.stores[0], group.stores[1])
        let account = try account(first, "a")
        try group.settle()
        for round in 0..<20 {
            try push(first, account, round * 30..<round * 30 + 20)
            try push(second, account, round * 30 + 20..<round * 30 + 30)
            group.log.fate = .tooLateOnce
        }
        #expect(try soon { try parts(first) > 3 })
        try group.expectAlike()
        let engine = account.address.device
        let shown = try group.stores.map { try $0.welcomes([engine])[0].joined() }
        #expect(shown[0] == shown[1] && shown[0].contains("x 599"))
        for store in group.stores { try store.restart() }
        #expect(try first.welcomes([engine])[0].joined().contains("x 599"))
    }

    @Test("An account that outgrows its room drops what is least likely to be seen")
    func full() throws {
        let test = try TestStore {
            $0.limits.accountPart = Self.part
            $0.limits.growth.engine = 256 << 10
        }
        let account = try account(test, "a")
        for start in stride(from: 0, to: 1_000, by: 20) {
            try push(test, account, start..<start + 20)
        }
        #expect(try soon { try isWritten(test) })
        // A push is refused before the account is twice as much too large as one that is only
        // measured. What is written besides the pushes, and those on their way, is less than 32 KiB.
        #expect(try number(test, "SELECT max(size) FROM engine") <= (256 + 2 * 64 + 32) << 10)
        let shown = try test.welcomes([account.address.device])
        try test.restart()
        #expect(try test.welcomes([account.address.device]) == shown)
    }

    @Test(
        "Parts of an account that is not there are removed", .alone("it changes the file by hand"))
    func strays() throws {
        let test = try store()
        try test.restart {
            try Connection(test.path + "/bellwire.db", .readWrite).execute(
                "INSERT INTO engine_record VALUES (9, x'0000270F00', zeroblob(200))")
        }
        #expect(try soon { try parts(test) == 0 })
    }

    @Test("The journal can be cut while a large account in its oldest record is written")
    func journal() throws {
        let test = try TestStore {
            $0.limits.accountPart = Self.part
            $0.limits.engineJournal = 64 << 10
        }
        let account = try account(test, "a")
        for start in stride(from: 0, to: 400, by: 10) {
            try push(test, account, start..<start + 10)
        }
        let size = "SELECT sum(length(sealed)) FROM engine_record WHERE length(engines) % 4 = 0"
        var next = 400
        #expect(
            try soon {
                try push(test, account, next..<next + 1)
                next += 1
                return try number(test, size) <= 80 << 10
            })
        let engine = account.address.device
        let shown = try test.welcomes([engine])
        try test.restart()
        #expect(try test.welcomes([engine]) == shown)
    }
}
