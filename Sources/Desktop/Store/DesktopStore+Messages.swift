import Base
import Crypto
import Reactor
import SQLite
package import WebPush

/// Messages that wait for their applications and that no receiver keeps.
extension DesktopStore {
    package struct KeptMessage: Equatable, Sendable {
        package let row: Int64
        package let receiver: Int64
        package let channel: ChannelID
        package let id: String
        package let urgency: Urgency
        /// The time when it expires, on the boot clock.
        package let deadline: Duration
    }

    /// All messages without their bodies, in the order of acceptance.
    package func messages() throws -> [KeptMessage] {
        let select = try Statement(
            "SELECT row, receiver, channel, id, urgency, expires FROM message ORDER BY row",
            on: connection)
        var messages: [KeptMessage] = []
        let offset = BootClock.now - .milliseconds(clock.now.milliseconds)
        while try select.step() {
            guard let bits = select.withBytes(2, { Bits128($0) }) else { continue }
            messages.append(
                KeptMessage(
                    row: select.integer(0), receiver: select.integer(1), channel: ChannelID(bits),
                    id: select.text(3), urgency: Urgency(rawValue: select.text(4)) ?? .normal,
                    deadline: offset + .milliseconds(select.integer(5))))
        }
        return messages
    }

    /// Returns the rows after all messages are on the disk.
    package func keep(_ messages: [(key: Custody.Key, entry: Custody.Entry)]) throws -> [Int64] {
        var row = try connection.integer(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0)")
        let offset = Duration.milliseconds(clock.now.milliseconds) - BootClock.now
        try connection.execute("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        let insert = try Statement(
            "INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", on: connection)
        var rows: [Int64] = []
        for (key, entry) in messages {
            row += 1
            let sealed = try seal(entry.body ?? [], Self.bodyPlace(row))
            let channel = key.channel.bits.bytes
            try insert.bind(row, at: 1)
            try insert.bind(entry.receiver, at: 2)
            try insert.bind(channel.span, at: 3)
            try insert.bind(text: key.id, at: 4)
            try insert.bind(text: entry.urgency.rawValue, at: 5)
            try insert.bind(Self.milliseconds((entry.deadline ?? .zero) + offset), at: 6)
            try insert.bind(sealed, at: 7)
            try insert.run()
            rows.append(row)
        }
        try recordTime()
        try connection.execute("COMMIT")
        return rows
    }

    private static func milliseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// Nil if it is gone or cannot be unsealed.
    package func body(ofMessage row: Int64) throws -> [UInt8]? {
        let select = try Statement("SELECT sealed_body FROM message WHERE row = ?1", on: connection)
        try select.bind(row, at: 1)
        guard try select.step() else { return nil }
        return open(select.bytes(0), Self.bodyPlace(row))
    }

    /// Removes the messages in one transaction.
    package func removeMessages(_ rows: [Int64]) throws {
        try connection.execute("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        let delete = try Statement("DELETE FROM message WHERE row = ?1", on: connection)
        for row in rows {
            try delete.bind(row, at: 1)
            try delete.run()
        }
        try connection.execute("COMMIT")
    }

    private static func bodyPlace(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: "message", row: row, column: "sealed_body")
    }
}
