import Crypto
import Delivery
import SQLite
import WebPush

/// The writer's access to callbacks, within its transaction.
final class CallbackRows {
    static let table: StaticString = "callback"
    static let eventTable: StaticString = "callback_event"
    static let sealedColumn: StaticString = "sealed"

    /// Events before `Rank.parked` are waiting.
    enum Rank: Int64 {
        case introduction = 0
        case inOrder = 1
        case parked = 2
    }

    struct Usage {
        let owner: String
        let state: CallbackState
        let events: Int64
        let bytes: Int64
        /// The bytes of all callbacks of its owner, and of all callbacks.
        let ownerBytes: Int64
        let allBytes: Int64
    }

    private let usage: StoreStatement
    private let insert: StoreStatement
    private let count: StoreStatement
    private let delete: StoreStatement
    private let deleteOfPlace: StoreStatement
    private let postpone: StoreStatement
    private let firstDeath: StoreStatement
    private let dead: StoreStatement
    private let last: StoreStatement
    private let replace: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        usage = try StoreStatement(
            """
            SELECT state, events, bytes,
            (SELECT bytes FROM share WHERE kind = 'callback' AND share.owner = callback.owner),
            (SELECT bytes FROM share WHERE kind = 'callback' AND share.owner = ''), owner
            FROM callback WHERE row = ?1
            """, on: connection)
        insert = try StoreStatement(
            "INSERT INTO callback_event VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, ?7, ?8, ?9, ?10, ?11)",
            on: connection)
        count = try StoreStatement(
            "UPDATE callback SET events = events + ?2, bytes = bytes + ?3 WHERE row = ?1",
            on: connection)
        delete = try StoreStatement(
            "DELETE FROM callback_event WHERE position = ?1 AND callback = ?2 RETURNING size, rank, action",
            on: connection)
        deleteOfPlace = try StoreStatement(
            "DELETE FROM callback_event WHERE place = ?1 RETURNING callback, size", on: connection)
        postpone = try StoreStatement(
            """
            UPDATE callback_event SET attempts = ?3, refusals = ?4, due = ?5
            WHERE position = ?1 AND callback = ?2
            """, on: connection)
        firstDeath = try StoreStatement(
            "SELECT dies FROM callback_event ORDER BY dies LIMIT 1", on: connection)
        dead = try StoreStatement(
            "SELECT position, callback FROM callback_event WHERE dies <= ?1 LIMIT ?2",
            on: connection)
        last = try StoreStatement(
            """
            SELECT position, tally, attempts, size, (SELECT position FROM callback_event
            WHERE callback = ?1 AND rank < 2 ORDER BY rank, position LIMIT 1)
            FROM callback_event WHERE callback = ?1 AND rank = 1 ORDER BY position DESC LIMIT 1
            """, on: connection)
        replace = try StoreStatement(
            """
            UPDATE callback_event SET tally = ?2, size = ?3, dies = max(dies, ?4), sealed = ?5
            WHERE position = ?1
            """, on: connection)
    }

    /// Nil if there is none.
    func usage(of callback: UInt32) throws(StoreFault) -> Usage? {
        try usage.bind(Int64(callback), at: 1)
        defer { usage.reset() }
        guard try usage.step(), let state = CallbackState(rawValue: usage.integer(0)) else {
            return nil
        }
        return Usage(
            owner: usage.text(5), state: state, events: usage.integer(1), bytes: usage.integer(2),
            ownerBytes: usage.integer(3), allBytes: usage.integer(4))
    }

    func insert(
        _ event: OutboxEvent, of callback: UInt32, _ rank: Rank, at position: Int64,
        _ now: StoreTime, sealed: [UInt8]
    ) throws(StoreFault) {
        try insert.bind(position, at: 1)
        try insert.bind(Int64(callback), at: 2)
        try insert.bind(rank.rawValue, at: 3)
        try insert.bind(event.id.bytes, at: 4)
        try insert.bind(now.adding(seconds: event.life).milliseconds, at: 5)
        try insert.bind(Int64(event.body.count), at: 6)
        try insert.bind(now.milliseconds, at: 7)
        try insert.bind(event.tally.map { Int64($0.count) }, at: 8)
        try insert.bind(sealed, at: 9)
        try insert.bind(event.action, at: 10)
        try insert.bind(event.place, at: 11)
        try insert.run()
        try add(1, Int64(event.body.count), to: callback)
    }

    /// Returns its rank and the action it reported; nil if it does not exist.
    func delete(
        _ position: Int64, of callback: UInt32
    ) throws(StoreFault) -> (rank: Rank?, action: Int64?)? {
        try delete.bind(position, at: 1)
        try delete.bind(Int64(callback), at: 2)
        guard try delete.step() else { return nil }
        let (size, rank) = (delete.integer(0), Rank(rawValue: delete.integer(1)))
        let action = delete.isNull(2) ? nil : delete.integer(2)
        try delete.run()
        try add(-1, -size, to: callback)
        return (rank, action)
    }

    /// Deletes what waits of the message at this place. Returns for which callbacks.
    func delete(ofPlace place: Int64) throws(StoreFault) -> [UInt32] {
        try deleteOfPlace.bind(place, at: 1)
        var found: [(callback: UInt32, size: Int64)] = []
        while try deleteOfPlace.step() {
            found.append((UInt32(clamping: deleteOfPlace.integer(0)), deleteOfPlace.integer(1)))
        }
        for (callback, size) in found { try add(-1, -size, to: callback) }
        return found.map(\.callback)
    }

    func postpone(
        _ position: Int64, of callback: UInt32, attempts: Int, refusals: Int, due: StoreTime
    ) throws(StoreFault) {
        try postpone.bind(position, at: 1)
        try postpone.bind(Int64(callback), at: 2)
        try postpone.bind(Int64(attempts), at: 3)
        try postpone.bind(Int64(refusals), at: 4)
        try postpone.bind(due.milliseconds, at: 5)
        try postpone.run()
    }

    func nextDeath() throws(StoreFault) -> StoreTime? {
        defer { firstDeath.reset() }
        guard try firstDeath.step() else { return nil }
        return StoreTime(milliseconds: firstDeath.integer(0))
    }

    func dead(
        at now: StoreTime, limit: Int
    ) throws(StoreFault) -> [(position: Int64, callback: UInt32)] {
        try dead.bind(now.milliseconds, at: 1)
        try dead.bind(Int64(limit), at: 2)
        var found: [(Int64, UInt32)] = []
        while try dead.step() {
            found.append((dead.integer(0), UInt32(clamping: dead.integer(1))))
        }
        return found
    }

    /// The last event, if others can be counted into it: not sent yet, and not the next one to send
    /// while that is `handedOut`.
    func lastTally(
        of callback: UInt32, handedOut: Bool
    ) throws(StoreFault) -> (position: Int64, count: Int, size: Int64)? {
        try last.bind(Int64(callback), at: 1)
        defer { last.reset() }
        guard try last.step(), !last.isNull(1), last.integer(2) == 0,
            !handedOut || last.integer(0) != last.integer(4)
        else { return nil }
        return (last.integer(0), Int(last.integer(1)), last.integer(3))
    }

    /// Replaces an event of this size.
    func replace(
        _ position: Int64, ofSize former: Int64, of callback: UInt32, with event: OutboxEvent,
        count: Int, dies: StoreTime, sealed: [UInt8]
    ) throws(StoreFault) {
        let size = Int64(event.body(counting: count).count)
        try replace.bind(position, at: 1)
        try replace.bind(Int64(count), at: 2)
        try replace.bind(size, at: 3)
        try replace.bind(dies.milliseconds, at: 4)
        try replace.bind(sealed, at: 5)
        try replace.run()
        try add(0, size - former, to: callback)
    }

    private func add(
        _ events: Int64, _ bytes: Int64, to callback: UInt32
    ) throws(StoreFault) {
        try count.bind(Int64(callback), at: 1)
        try count.bind(events, at: 2)
        try count.bind(bytes, at: 3)
        try count.run()
    }

    static func place(_ row: UInt32, of owner: String) -> Sealer.Place {
        Sealer.Place(table: table, row: Int64(row), column: sealedColumn, owner: .name(owner))
    }

    /// `owner`: of its callback.
    static func eventPlace(_ position: Int64, of owner: String) -> Sealer.Place {
        Sealer.Place(
            table: eventTable, row: position, column: sealedColumn, owner: .name(owner))
    }
}
