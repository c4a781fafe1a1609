import Delivery
import SQLite
import WebPush

/// The writer's access to the table of messages.
final class MessageRows {
    /// A deleted message.
    struct Ended {
        let reference: MessageReference
        let location: UInt64
        let size: Int
    }

    static let sealedTable: StaticString = "message"
    static let sealedColumn: StaticString = "sealed"

    private let insert: StoreStatement
    private let deleteOne: StoreStatement
    private let deleteByID: StoreStatement
    private let deleteByLocation: StoreStatement
    private let deleteByTopic: StoreStatement
    private let deleteOfSubscription: StoreStatement
    private let deleteOfDevice: StoreStatement
    private let deleteOldest: StoreStatement
    private let deleteExpired: StoreStatement
    private let firstExpiry: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        let returning = " RETURNING id, subscription, device, sequence, location, size"
        func delete(_ condition: String) throws(StoreFault) -> StoreStatement {
            try StoreStatement("DELETE FROM message WHERE " + condition + returning, on: connection)
        }
        // A subscription that ended in the meantime gets no more messages.
        insert = try StoreStatement(
            """
            INSERT INTO message (position, sequence, device, subscription, id, location, topic,
            expires, size, sealed) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
            WHERE EXISTS (SELECT 1 FROM subscription WHERE row = ?4) RETURNING 1
            """, on: connection)
        deleteOne = try delete("device = ?1 AND sequence = ?2 AND id = ?3")
        deleteByID = try delete("device = ?1 AND id = ?2")
        deleteByLocation = try delete("position = ?1 AND location = ?2")
        deleteByTopic = try delete("subscription = ?1 AND topic = ?2")
        deleteOfSubscription = try delete(
            "subscription = ?1 AND device = (SELECT device FROM subscription WHERE row = ?1)")
        deleteOfDevice = try delete("device = ?1")
        deleteOldest = try delete(
            """
            position IN (SELECT position FROM message WHERE device = ?1 AND subscription = ?2
            ORDER BY sequence LIMIT ?3)
            """)
        deleteExpired = try delete(
            """
            position IN (SELECT position FROM message WHERE expires <= ?1
            ORDER BY expires LIMIT ?2)
            """)
        firstExpiry = try StoreStatement(
            "SELECT expires FROM message ORDER BY expires LIMIT 1", on: connection)
    }

    /// `topic` names the topic within its subscription. False if the subscription has ended.
    func insert(
        _ message: Message, at position: Int64, topic: [UInt8]?, sealed: [UInt8]
    ) throws(StoreFault) -> Bool {
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
        defer { insert.reset() }
        return try insert.step()
    }

    func delete(_ reference: MessageReference) throws(StoreFault) -> [Ended] {
        try deleteOne.bind(Int64(reference.address.device), at: 1)
        try deleteOne.bind(reference.sequence, at: 2)
        try Self.bind(reference.id, to: deleteOne, at: 3)
        return try Self.ended(deleteOne)
    }

    func delete(_ id: MessageID, device: UInt32) throws(StoreFault) -> [Ended] {
        try deleteByID.bind(Int64(device), at: 1)
        try Self.bind(id, to: deleteByID, at: 2)
        return try Self.ended(deleteByID)
    }

    func delete(_ location: LocationID, at position: Int64) throws(StoreFault) -> [Ended] {
        try deleteByLocation.bind(position, at: 1)
        try Self.bind(location, to: deleteByLocation, at: 2)
        return try Self.ended(deleteByLocation)
    }

    func delete(topic: [UInt8], of subscription: UInt32) throws(StoreFault) -> [Ended] {
        try deleteByTopic.bind(Int64(subscription), at: 1)
        try deleteByTopic.bind(topic.span, at: 2)
        return try Self.ended(deleteByTopic)
    }

    func deleteAll(of subscription: UInt32) throws(StoreFault) -> [Ended] {
        try deleteOfSubscription.bind(Int64(subscription), at: 1)
        return try Self.ended(deleteOfSubscription)
    }

    func deleteAll(ofDevice device: UInt32) throws(StoreFault) -> [Ended] {
        try deleteOfDevice.bind(Int64(device), at: 1)
        return try Self.ended(deleteOfDevice)
    }

    func deleteOldest(of address: Address, _ count: Int) throws(StoreFault) -> [Ended] {
        try deleteOldest.bind(Int64(address.device), at: 1)
        try deleteOldest.bind(Int64(address.subscription), at: 2)
        try deleteOldest.bind(Int64(count), at: 3)
        return try Self.ended(deleteOldest)
    }

    func deleteExpired(at now: StoreTime, limit: Int) throws(StoreFault) -> [Ended] {
        try deleteExpired.bind(now.milliseconds, at: 1)
        try deleteExpired.bind(Int64(limit), at: 2)
        return try Self.ended(deleteExpired)
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

    private static func ended(_ statement: borrowing StoreStatement) throws(StoreFault) -> [Ended] {
        var ended: [Ended] = []
        while try statement.step() {
            guard let id = statement.withBytes(0, { MessageID($0) }),
                let location = statement.withBytes(4, { LocationID($0) })
            else { continue }
            let address = Address(
                subscription: UInt32(clamping: statement.integer(1)),
                device: UInt32(clamping: statement.integer(2)))
            let reference = MessageReference(
                id: id, address: address, sequence: statement.integer(3))
            ended.append(
                Ended(
                    reference: reference, location: location.high,
                    size: Int(statement.integer(5))))
        }
        return ended
    }
}
