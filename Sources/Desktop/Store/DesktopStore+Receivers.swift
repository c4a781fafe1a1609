import Base
import Crypto
import SQLite
import WebPush

/// What each receiver knows of this desktop.
extension DesktopStore {
    struct ReceiverRecord: Equatable, Sendable, Confidential {
        let row: Int64
        var userAgent: String?
    }

    struct ChannelRecord: Equatable, Sendable {
        let channel: ChannelID
        let receiver: Int64
        /// The channel ended, but the receiver does not know it yet.
        let isEnded: Bool
    }

    /// Makes the record if it is missing. `url` contains a secret, so only its hash is stored.
    func receiver(at url: String) throws -> ReceiverRecord {
        var hash = try SHA256()
        let digest = try hash.digest(of: Array(url.utf8).span)
        let name = digest.span.array(0..<digest.count)
        let select = try Statement(
            "SELECT row, sealed_user_agent FROM receiver WHERE name = ?1", on: connection)
        try select.bind(name.span, at: 1)
        if try select.step() {
            let row = select.integer(0)
            let userAgent =
                select.isNull(1) ? nil : open(select.bytes(1), Self.userAgentPlace(row))
            return ReceiverRecord(
                row: row, userAgent: userAgent.map { String(decoding: $0, as: UTF8.self) })
        }
        try run("INSERT INTO receiver (name) VALUES (?1)", .blob(name))
        let row = try connection.integer("SELECT last_insert_rowid()")
        return ReceiverRecord(row: row, userAgent: nil)
    }

    func setUserAgent(_ userAgent: String, ofReceiver row: Int64) throws {
        try run(
            "UPDATE receiver SET sealed_user_agent = ?2 WHERE row = ?1", .integer(row),
            .blob(try seal(Array(userAgent.utf8), Self.userAgentPlace(row))))
    }

    private static func userAgentPlace(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: "receiver", row: row, column: "sealed_user_agent")
    }

    func channels() throws -> [ChannelRecord] {
        let select = try Statement(
            "SELECT channel, receiver, is_ended FROM channel", on: connection)
        var records: [ChannelRecord] = []
        while try select.step() {
            guard let bits = select.withBytes(0, { Bits128($0) }) else { continue }
            records.append(
                ChannelRecord(
                    channel: ChannelID(bits), receiver: select.integer(1),
                    isEnded: select.integer(2) != 0))
        }
        return records
    }

    func save(_ record: ChannelRecord) throws {
        try run(
            "INSERT OR REPLACE INTO channel VALUES (?1, ?2, ?3)",
            .channel(record.channel), .integer(record.receiver), .flag(record.isEnded))
    }

    func remove(_ channel: ChannelID) throws {
        try run("DELETE FROM channel WHERE channel = ?1", .channel(channel))
    }
}

/// Since when no receiver is listed.
extension DesktopStore {
    func receiversGone() throws -> Duration? {
        let select = try Statement("SELECT since FROM receivers_gone", on: connection)
        return try select.step() ? .milliseconds(select.integer(0)) : nil
    }

    func setReceiversGone(_ since: Duration?) throws {
        try recordTime()
        guard let since else { return try connection.execute("DELETE FROM receivers_gone") }
        try run(
            "INSERT OR REPLACE INTO receivers_gone VALUES (1, ?1)",
            .integer(since.wholeMilliseconds))
    }
}
