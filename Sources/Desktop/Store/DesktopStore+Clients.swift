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
            """,
            .integer(row), .blob(token), .text(client.key.sandbox), .text(client.service),
            .text(client.description), .text(client.applicationKey?.text),
            .integer(Int64(client.version.rawValue)), .text(client.path), .channel(client.channel),
            .blob(endpoint), .integer(client.created), .integer(client.lastDelivery),
            .integer(client.lastSeen), .flag(client.isMuted), .text(client.leastUrgency.rawValue))
        clientRows[client.key] = row
        lastClient = max(lastClient, row)
    }

    func remove(_ key: ClientKey) throws {
        guard let row = clientRows[key] else { return }
        try run("DELETE FROM client WHERE row = ?1", .integer(row))
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
    func keep(_ messages: [(key: HeldMessages.Key, entry: HeldMessages.Entry)]) throws -> [Int64] {
        var row = try connection.integer(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0)")
        let offset = now - BootClock.now
        try connection.execute("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        var rows: [Int64] = []
        for (key, entry) in messages {
            row += 1
            let expiry = ((entry.deadline ?? .zero) + offset).wholeMilliseconds
            try run(
                "INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                .integer(row), .integer(entry.receiver), .channel(key.channel), .text(key.id),
                .text(entry.urgency.rawValue), .integer(expiry),
                .blob(try seal(entry.body ?? [], Self.bodyPlace(row))))
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
        try connection.transaction { () throws(SQLiteError) in
            for row in rows { try run("DELETE FROM message WHERE row = ?1", .integer(row)) }
        }
    }

    private static func bodyPlace(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: "message", row: row, column: "sealed_body")
    }
}
