import Base
import Crypto
import SQLite
import System
import WebPush

/// The registrations of applications.
extension DesktopStore: ClientStore {
    private static let table: StaticString = "client"

    /// Leaves out a registration whose token cannot be unsealed, because its application cannot be
    /// told anything.
    func clients() throws -> [ClientRecord] {
        let select = try Statement(
            """
            SELECT row, sealed_token, sandbox, service, description, application_key, version,
            path, channel, sealed_endpoint, created, last_delivery, last_seen, is_muted,
            least_urgency FROM client ORDER BY row
            """, on: connection)
        var clients: [ClientRecord] = []
        while try select.step() {
            guard let client = client(select) else { continue }
            clientRows[client.key] = select.integer(0)
            clients.append(client)
        }
        return clients
    }

    private func client(_ select: borrowing Statement) -> ClientRecord? {
        let row = select.integer(0)
        guard let token = open(select.bytes(1), Self.tokenPlace(row)),
            let version = ConnectorVersion(rawValue: UInt8(clamping: select.integer(6))),
            let channel = select.withBytes(8, { Bits128($0) })
        else { return nil }
        let endpoint =
            select.isNull(9) ? nil : open(select.bytes(9), Self.endpointPlace(row))
        var client = ClientRecord(
            key: ClientKey(
                sandbox: select.text(2), token: String(decoding: token, as: UTF8.self)),
            service: select.text(3), description: select.text(4),
            applicationKey: select.isNull(5) ? nil : ApplicationKey(select.text(5)),
            version: version, path: select.text(7), channel: ChannelID(channel),
            endpoint: endpoint.map { String(decoding: $0, as: UTF8.self) },
            created: select.integer(10),
            lastDelivery: select.isNull(11) ? nil : select.integer(11),
            lastSeen: select.integer(12))
        client.isMuted = select.integer(13) != 0
        client.leastUrgency = Urgency(rawValue: select.text(14)) ?? .veryLow
        return client
    }

    func save(_ client: ClientRecord) throws {
        let row = clientRows[client.key] ?? lastClient + 1
        let token = try seal(Array(client.key.token.utf8), Self.tokenPlace(row))
        var endpoint: [UInt8]?
        if let text = client.endpoint {
            endpoint = try seal(Array(text.utf8), Self.endpointPlace(row))
        }
        try run(
            """
            INSERT OR REPLACE INTO client VALUES
            (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """
        ) { statement throws(SQLiteError) in
            try statement.bind(row, at: 1)
            try statement.bind(token, at: 2)
            try statement.bind(endpoint, at: 10)
            try Self.bind(client, to: statement)
        }
        clientRows[client.key] = row
        lastClient = max(lastClient, row)
    }

    private static func bind(
        _ client: ClientRecord, to statement: borrowing Statement
    ) throws(SQLiteError) {
        try statement.bind(text: client.key.sandbox, at: 3)
        try statement.bind(text: client.service, at: 4)
        try statement.bind(text: client.description, at: 5)
        if let key = client.applicationKey { try statement.bind(text: key.text, at: 6) }
        try statement.bind(Int64(client.version.rawValue), at: 7)
        try statement.bind(text: client.path, at: 8)
        let channel = client.channel.bits.bytes
        try statement.bind(channel.span, at: 9)
        try statement.bind(client.created, at: 11)
        try statement.bind(client.lastDelivery, at: 12)
        try statement.bind(client.lastSeen, at: 13)
        try statement.bind(client.isMuted ? 1 : 0, at: 14)
        try statement.bind(text: client.leastUrgency.rawValue, at: 15)
    }

    func remove(_ key: ClientKey) throws {
        guard let row = clientRows[key] else { return }
        try run("DELETE FROM client WHERE row = ?1") { statement throws(SQLiteError) in
            try statement.bind(row, at: 1)
        }
        clientRows[key] = nil
    }

    private static func tokenPlace(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: table, row: row, column: "sealed_token")
    }

    private static func endpointPlace(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: table, row: row, column: "sealed_endpoint")
    }
}

/// Messages that wait for their applications and that no receiver keeps.
extension DesktopStore {
    struct KeptMessage: Equatable, Sendable {
        let row: Int64
        let receiver: Int64
        let channel: ChannelID
        let id: String
        let urgency: Urgency
        /// The time when it expires, on the boot clock.
        let deadline: Duration
    }

    /// All messages without their bodies, in the order of acceptance.
    func messages() throws -> [KeptMessage] {
        let select = try Statement(
            "SELECT row, receiver, channel, id, urgency, expires FROM message ORDER BY row",
            on: connection)
        var messages: [KeptMessage] = []
        let offset = BootClock.now - now
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
    func keep(_ messages: [(key: Custody.Key, entry: Custody.Entry)]) throws -> [Int64] {
        var row = try connection.integer(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0)")
        let offset = now - BootClock.now
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
            try insert.bind(((entry.deadline ?? .zero) + offset).wholeMilliseconds, at: 6)
            try insert.bind(sealed, at: 7)
            try insert.run()
            rows.append(row)
        }
        try recordTime()
        try connection.execute("COMMIT")
        return rows
    }

    /// Nil if it is gone or cannot be unsealed.
    func body(ofMessage row: Int64) throws -> [UInt8]? {
        let select = try Statement("SELECT sealed_body FROM message WHERE row = ?1", on: connection)
        try select.bind(row, at: 1)
        guard try select.step() else { return nil }
        return open(select.bytes(0), Self.bodyPlace(row))
    }

    /// Removes the messages in one transaction.
    func removeMessages(_ rows: [Int64]) throws {
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
