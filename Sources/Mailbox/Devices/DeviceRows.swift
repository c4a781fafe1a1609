import Base
import Crypto
import Delivery
import SQLite
import WebPush

/// Reads devices from the file.
enum DeviceRows {
    /// What `device` reads.
    static let columns = ["row", "user_agent", "credential", "owner", "created"]

    static func device(
        _ row: borrowing some StoredRow & ~Copyable
    ) -> (device: KnownUserAgent, owner: UInt32)? {
        guard let userAgent = row.withBytes(1, { Digest($0) }) else { return nil }
        let device = KnownUserAgent(
            row: UInt32(clamping: row.integer(0)), userAgent: userAgent,
            credential: row.isNull(2) ? nil : UInt32(clamping: row.integer(2)),
            created: row.integer(4))
        return (device, UInt32(clamping: row.integer(3)))
    }
}

/// Reads credentials and owners from the file.
enum CredentialRows {
    /// What `credential` reads, and the number of its owner.
    static let columns = [
        "row", "secret", "name", "owner", "created", "last_seen", "unconfirmed", "receive_only",
        "sealed_terms", "parent", "topic",
    ]

    static func place(_ row: UInt32, of owner: Int64) -> Sealer.Place {
        Sealer.Place(
            table: "credential", row: Int64(row), column: "sealed_terms", owner: .number(owner))
    }

    /// Those whose terms do not open are left out, and open nothing.
    static func load(
        from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [DeviceCredential] {
        let names = columns.map { "credential.\($0)" }.joined(separator: ", ")
        let select = try StoreStatement(
            """
            SELECT \(names), owner.name FROM credential
            JOIN owner ON owner.row = credential.owner ORDER BY credential.row
            """, on: connection)
        var credentials: [DeviceCredential] = []
        while try select.step() {
            let credential = credential(select, of: select.text(11)) { sealed, place in
                (try? sealer.open(sealed.span, at: place)).map {
                    $0.withSpan { $0.array($0.indices) }
                }
            }
            if let credential { credentials.append(credential) }
        }
        return credentials
    }

    static func owner(_ row: borrowing some StoredRow & ~Copyable) -> Int64 { row.integer(3) }

    static func credential(
        _ row: borrowing some StoredRow & ~Copyable, of owner: String,
        unseal: ([UInt8], Sealer.Place) -> [UInt8]?
    ) -> DeviceCredential? {
        guard let secret = row.withBytes(1, { Digest($0) }) else { return nil }
        let number = UInt32(clamping: row.integer(0))
        var token: TokenGrant?
        if !row.isNull(8) {
            let opened = unseal(row.bytes(8), place(number, of: row.integer(3)))
            guard let terms = opened.flatMap(TokenRecord.terms) else { return nil }
            token = TokenGrant(
                terms, parent: row.isNull(9) ? nil : UInt32(clamping: row.integer(9)),
                device: row.isNull(10) ? nil : UInt32(clamping: row.integer(10)))
        }
        return DeviceCredential(
            row: number, secret: secret, name: row.text(2), owner: owner,
            created: row.integer(4), lastSeen: row.isNull(5) ? nil : row.integer(5),
            isConfirmed: row.integer(6) == 0, isReceiveOnly: row.integer(7) != 0, token: token)
    }

    static func owners(
        from connection: borrowing Connection
    ) throws(StoreFault) -> [Owner] {
        let select = try StoreStatement(
            """
            SELECT row, name, (SELECT count(*) FROM credential WHERE owner = owner.row
            AND sealed_terms IS NULL),
            (SELECT count(*) FROM device WHERE owner = owner.row
            AND NOT EXISTS (SELECT 1 FROM registration WHERE registration.device = device.row)),
            (SELECT count(*) FROM subscription JOIN device ON device.row = subscription.device
            WHERE device.owner = owner.row),
            (SELECT count(*) FROM registration WHERE registration.owner = owner.name),
            \(TopicRows.kept("count", "1")), \(TopicRows.kept("bytes", "length(sealed)"))
            FROM owner ORDER BY row
            """, on: connection)
        var owners: [Owner] = []
        while try select.step() {
            owners.append(
                Owner(
                    row: UInt32(clamping: select.integer(0)), name: select.text(1),
                    devices: Int(select.integer(2)), userAgents: Int(select.integer(3)),
                    endpoints: Int(select.integer(4)), registrations: Int(select.integer(5)),
                    keptMessages: Int(select.integer(6)), keptBytes: Int(select.integer(7))))
        }
        return owners
    }
}

/// Reads subscriptions from the file.
enum SubscriptionRows {
    private static let table: StaticString = "subscription"
    private static let sealedColumn: StaticString = "sealed_token"

    /// `owner`: the number that the row of its device has.
    static func place(_ row: UInt32, of owner: Int64) -> Sealer.Place {
        Sealer.Place(
            table: table, row: Int64(row), column: sealedColumn, owner: .number(owner))
    }

    /// The subscriptions of one device, without ones that cannot be unsealed.
    static func load(
        ofDevice device: UInt32, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [Subscription] {
        let select = try connection.statement(
            """
            SELECT row, device, kind, sender, key_hash, endpoint, channel, created, sealed_token,
            (SELECT owner FROM device WHERE row = ?1)
            FROM subscription WHERE device = ?1 ORDER BY row
            """, device)
        var subscriptions: [Subscription] = []
        while try select.step() {
            guard let endpoint = endpoint(select),
                let digest = select.withBytes(5, { Digest($0) }),
                let channel = select.withBytes(6, { ChannelID($0) }),
                let token = token(select, endpoint.address.subscription, &sealer)
            else { continue }
            subscriptions.append(
                Subscription(
                    address: endpoint.address, kind: endpoint.kind, channel: channel,
                    sender: endpoint.sender, token: token, digest: digest,
                    created: select.integer(7)))
        }
        return subscriptions
    }

    /// What `endpointAndDigest` reads.
    static let columns = ["row", "device", "kind", "sender", "key_hash", "endpoint"]

    static func endpointAndDigest(
        _ row: borrowing some StoredRow & ~Copyable
    ) -> (Endpoint, Digest)? {
        guard let endpoint = endpoint(row), let digest = row.withBytes(5, { Digest($0) })
        else { return nil }
        return (endpoint, digest)
    }

    static func endpoint(_ row: borrowing some StoredRow & ~Copyable) -> Endpoint? {
        guard let kind = SubscriptionKind(rawValue: UInt8(clamping: row.integer(2))),
            let sender = SenderRule(number: row.integer(3), keyHash: row.bytes(4))
        else { return nil }
        let address = Address(
            subscription: UInt32(clamping: row.integer(0)),
            device: UInt32(clamping: row.integer(1)))
        return Endpoint(address: address, kind: kind, sender: sender)
    }

    private static func token(
        _ select: borrowing StoreStatement, _ row: UInt32, _ sealer: inout Sealer
    ) -> EndpointToken? {
        let sealed = select.bytes(8)
        let place = place(row, of: select.integer(9))
        guard let secret = try? sealer.open(sealed.span, at: place) else { return nil }
        return EndpointToken(recorded: secret.withSpan { $0.array($0.indices) })
    }
}

/// The sender rule as columns of the subscription table.
extension SenderRule {
    var number: Int64 {
        switch self {
        case .anyone: 0
        case .key: 1
        case .firstKey: 2
        }
    }

    var keyHash: KeyHash? {
        if case .key(let hash) = self { hash } else { nil }
    }

    /// Nil for values that no version ever wrote.
    init?(number: Int64, keyHash: [UInt8]) {
        switch number {
        case 0: self = .anyone
        case 1:
            guard keyHash.count == 16 else { return nil }
            let bytes = keyHash.span
            self = .key(KeyHash(high: bytes.word(at: 0), low: bytes.word(at: 8)))
        case 2: self = .firstKey
        default: return nil
        }
    }
}

extension KeyHash {
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }
}

/// Ended endpoints.
///
/// They are kept for restores from an older copy: a token of ours that is neither in the copy nor
/// listed here may be newer than the copy. Forgetting one does no harm; its senders only learn
/// later that it has ended.
final class EndedRows {
    static let lifetime: UInt32 = 90 * 86_400

    private let insert: StoreStatement
    private let forget: StoreStatement
    private let deleteOld: StoreStatement
    private let first: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        insert = try StoreStatement(
            "INSERT INTO ended_endpoint (endpoint, ended) VALUES (?1, ?2) RETURNING row",
            on: connection)
        forget = try StoreStatement(
            "DELETE FROM ended_endpoint WHERE row <= ?1", on: connection)
        deleteOld = try StoreStatement(
            """
            DELETE FROM ended_endpoint WHERE row IN
            (SELECT row FROM ended_endpoint ORDER BY row LIMIT ?2) AND ended <= ?1 RETURNING 1
            """, on: connection)
        first = try StoreStatement(
            "SELECT ended FROM ended_endpoint ORDER BY row LIMIT 1", on: connection)
    }

    /// Rows are numbered without gaps, so the newest number says how many to delete.
    func insert(_ digest: Digest, at now: StoreTime, limit: Int) throws(StoreFault) {
        try insert.bind(digest.bytes, at: 1)
        try insert.bind(now.milliseconds, at: 2)
        let row = try insert.step() ? insert.integer(0) : 0
        insert.reset()
        guard row > limit else { return }
        try forget.bind(row - Int64(limit), at: 1)
        try forget.run()
    }

    /// Deletes some endpoints that ended long ago; returns how many.
    func deleteOld(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try deleteOld.bind(now.milliseconds - Int64(Self.lifetime) * 1_000, at: 1)
        try deleteOld.bind(Int64(limit), at: 2)
        var count = 0
        while try deleteOld.step() { count += 1 }
        return count
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        defer { first.reset() }
        guard try first.step() else { return nil }
        return StoreTime(milliseconds: first.integer(0)).adding(seconds: Self.lifetime)
    }
}
