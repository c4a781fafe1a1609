import Crypto
import Delivery
import SQLite
import WebPush

/// The writer's access to the table of messages.
final class MessageRows {
    /// A stored message, as memory knows it.
    struct Kept {
        static let columns = ["position", "location", "subscription", "device", "size"]

        let position: Int64
        /// The first word of it.
        let location: UInt64
        let address: Address
        let size: Int

        init?(_ row: borrowing some StoredRow & ~Copyable) {
            guard let location = row.withBytes(1, { LocationID($0) }) else { return nil }
            (position, self.location) = (row.integer(0), location.high)
            address = Address(
                subscription: UInt32(clamping: row.integer(2)),
                device: UInt32(clamping: row.integer(3)))
            size = Int(row.integer(4))
        }
    }

    /// A deleted message.
    struct Ended {
        static let columns = [
            "id", "subscription", "device", "sequence", "location", "size", "position",
        ]

        let reference: MessageReference
        let location: UInt64
        let size: Int

        init?(_ row: borrowing some StoredRow & ~Copyable) {
            guard let id = row.withBytes(0, { MessageID($0) }),
                let location = row.withBytes(4, { LocationID($0) })
            else { return nil }
            let address = Address(
                subscription: UInt32(clamping: row.integer(1)),
                device: UInt32(clamping: row.integer(2)))
            reference = MessageReference(id: id, address: address, sequence: row.integer(3))
            (self.location, size) = (location.high, Int(row.integer(5)))
        }
    }

    /// `owner`: the number that the row of its device has.
    static func place(_ position: Int64, of owner: Int64) -> Sealer.Place {
        Sealer.Place(table: "message", row: position, column: "sealed", owner: .number(owner))
    }

    private let destination: StoreStatement
    private let insert: StoreStatement
    private let delete: StoreStatement
    private let findOne: StoreStatement
    private let findByID: StoreStatement
    private let findByLocation: StoreStatement
    private let findByTopic: StoreStatement
    private let findOfSubscription: StoreStatement
    private let findOfDevice: StoreStatement
    private let findOldest: StoreStatement
    private let findExpired: StoreStatement
    private let firstExpiry: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        let columns = Ended.columns.joined(separator: ", ")
        func find(_ condition: String) throws(StoreFault) -> StoreStatement {
            try StoreStatement(
                "SELECT \(columns) FROM message WHERE " + condition, on: connection)
        }
        destination = try StoreStatement(
            "SELECT 1 FROM subscription WHERE row = ?1", on: connection)
        // For one row of values, unlike for `SELECT`, SQLite keeps no copy of the pages to take the
        // statement back.
        insert = try StoreStatement(
            """
            INSERT INTO message (position, sequence, device, subscription, id, location, topic,
            expires, size, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """, on: connection)
        delete = try StoreStatement("DELETE FROM message WHERE position = ?1", on: connection)
        findOne = try find("device = ?1 AND sequence = ?2 AND id = ?3")
        findByID = try find("device = ?1 AND id = ?2")
        findByLocation = try find("position = ?1 AND location = ?2")
        findByTopic = try find("subscription = ?1 AND topic = ?2")
        findOfSubscription = try find(
            "subscription = ?1 AND device = (SELECT device FROM subscription WHERE row = ?1)")
        findOfDevice = try find("device = ?1")
        findOldest = try find("device = ?1 AND subscription = ?2 ORDER BY sequence LIMIT ?3")
        findExpired = try find("expires <= ?1 ORDER BY expires LIMIT ?2")
        firstExpiry = try StoreStatement(
            "SELECT expires FROM message ORDER BY expires LIMIT 1", on: connection)
    }

    /// `topic` names the topic within its subscription. False if the subscription has ended.
    func insert(
        _ message: Message, at position: Int64, topic: [UInt8]?, sealed: [UInt8]
    ) throws(StoreFault) -> Bool {
        guard try has(subscription: message.address.subscription) else { return false }
        try insert.bind(position, at: 1)
        try insert.bind(message.sequence, at: 2)
        try insert.bind(Int64(message.address.device), at: 3)
        try insert.bind(Int64(message.address.subscription), at: 4)
        try Self.bind(message.id, to: insert, at: 5)
        try Self.bind(message.location, to: insert, at: 6)
        try insert.bind(topic, at: 7)
        try insert.bind(message.expiry.milliseconds, at: 8)
        try insert.bind(Int64(message.size), at: 9)
        try insert.bind(sealed, at: 10)
        try insert.run()
        return true
    }

    /// False if the subscription ended while a push was on its way.
    func has(subscription row: UInt32) throws(StoreFault) -> Bool {
        try destination.bind(Int64(row), at: 1)
        defer { destination.reset() }
        return try destination.step()
    }

    func delete(_ reference: MessageReference) throws(StoreFault) -> [Ended] {
        try findOne.bind(Int64(reference.address.device), at: 1)
        try findOne.bind(reference.sequence, at: 2)
        try Self.bind(reference.id, to: findOne, at: 3)
        return try end(findOne)
    }

    func delete(_ id: MessageID, device: UInt32) throws(StoreFault) -> [Ended] {
        try findByID.bind(Int64(device), at: 1)
        try Self.bind(id, to: findByID, at: 2)
        return try end(findByID)
    }

    func delete(_ location: LocationID, at position: Int64) throws(StoreFault) -> [Ended] {
        try findByLocation.bind(position, at: 1)
        try Self.bind(location, to: findByLocation, at: 2)
        return try end(findByLocation)
    }

    func delete(topic: [UInt8], of subscription: UInt32) throws(StoreFault) -> [Ended] {
        try findByTopic.bind(Int64(subscription), at: 1)
        try findByTopic.bind(topic.span, at: 2)
        return try end(findByTopic)
    }

    func deleteAll(of subscription: UInt32) throws(StoreFault) -> [Ended] {
        try findOfSubscription.bind(Int64(subscription), at: 1)
        return try end(findOfSubscription)
    }

    func deleteAll(ofDevice device: UInt32) throws(StoreFault) -> [Ended] {
        try findOfDevice.bind(Int64(device), at: 1)
        return try end(findOfDevice)
    }

    func deleteOldest(of address: Address, _ count: Int) throws(StoreFault) -> [Ended] {
        try findOldest.bind(Int64(address.device), at: 1)
        try findOldest.bind(Int64(address.subscription), at: 2)
        try findOldest.bind(Int64(count), at: 3)
        return try end(findOldest)
    }

    func deleteExpired(at now: StoreTime, limit: Int) throws(StoreFault) -> [Ended] {
        try findExpired.bind(now.milliseconds, at: 1)
        try findExpired.bind(Int64(limit), at: 2)
        return try end(findExpired)
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { firstExpiry.reset() }
        guard try firstExpiry.step() else { return nil }
        return StoreTime(milliseconds: firstExpiry.integer(0))
    }

    private static func bind(
        _ id: some RandomName, to statement: borrowing StoreStatement, at index: Int32
    ) throws(StoreFault) {
        var words = InlineArray<2, UInt64>(repeating: 0)
        words[0] = id.high.bigEndian
        words[1] = id.low.bigEndian
        let span = words.span
        let result = span.withUnsafeBytes { bytes -> StoreFault? in
            do throws(StoreFault) {
                try statement.bind(bytes.bindMemory(to: UInt8.self).span, at: index)
                return nil
            } catch {
                return error
            }
        }
        if let result { throw result }
    }

    /// Deletes what the statement finds.
    private func end(_ statement: borrowing StoreStatement) throws(StoreFault) -> [Ended] {
        var (ended, positions): ([Ended], [Int64]) = ([], [])
        while try statement.step() {
            positions.append(statement.integer(6))
            if let found = Ended(statement) { ended.append(found) }
        }
        for position in positions {
            try delete.bind(position, at: 1)
            try delete.run()
        }
        return ended
    }
}
