import Base
import Crypto
package import Delivery
import SQLite
package import WebPush

/// A key in somebody's device or password manager, with which its owner signs in to the page.
package struct Passkey: Equatable, Sendable, Confidential {
    /// So many an owner may have.
    package static let most = 20

    /// Never used by another one; 0 until it is stored.
    package fileprivate(set) var row: Int64 = 0
    package let owner: String
    package let name: String
    /// By this its authenticator knows it.
    package let id: [UInt8]
    package let key: UncompressedPoint
    /// How often it was used, by its own count.
    package fileprivate(set) var count: UInt32
    package fileprivate(set) var created = StoreTime(milliseconds: 0)
    package fileprivate(set) var lastUsed: StoreTime?

    package init(
        owner: String, name: String, id: [UInt8], key: UncompressedPoint, count: UInt32
    ) {
        (self.owner, self.name, self.id) = (owner, name, id)
        (self.key, self.count) = (key, count)
    }
}

package enum PasskeyOperation: Sendable {
    /// `.conflict` for one that is known; `.full` if the owner has too many.
    case add(Passkey)
    /// Somebody has signed in with it. `.conflict` if its count was as high before: it is a copy.
    case use(row: Int64, count: UInt32)
    case remove(row: Int64, owner: String)
}

/// What is sealed of it.
private struct PasskeyRecord: Confidential, Coded {
    static var blank: PasskeyRecord { PasskeyRecord() }

    var name = ""
    var id: [UInt8] = []
    var key: [UInt8] = []

    mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.data(&id)
        coder.data(&key)
    }
}

/// The rows of passkeys.
enum PasskeyRows {
    static let table: StaticString = "passkey"

    private static func place(_ row: Int64, of owner: String) -> Sealer.Place {
        Sealer.Place(table: table, row: row, column: "sealed", owner: .name(owner))
    }

    static func add(
        _ passkey: Passkey, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        let row = transaction.nextPosition()
        let count = try transaction.connection.number(
            "SELECT count(*) FROM passkey WHERE owner = ?1", passkey.owner)
        guard count < Passkey.most else { return .full }
        var record = PasskeyRecord()
        (record.name, record.id) = (passkey.name, passkey.id)
        record.key = passkey.key.withSpan { $0.array($0.indices) }
        let sealed = try transaction.seal(record.coded, at: place(row, of: passkey.owner))
        let digest = try transaction.hashing { _, hash throws(OpenSSLError) in
            try hash.digest(of: passkey.id.span)
        }
        let insert = try transaction.connection.statement(
            """
            INSERT INTO passkey VALUES (?1, ?2, ?3, ?4, NULL, ?5, ?6)
            ON CONFLICT DO NOTHING RETURNING row
            """, row, passkey.owner, digest.span.array(digest.indices),
            transaction.time.reading().wall, Int64(passkey.count), sealed)
        return try insert.step() ? .done : .conflict
    }

    static func use(
        _ row: Int64, count: UInt32, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        let update = try transaction.connection.statement(
            """
            UPDATE passkey SET count = ?2, last_used = ?3
            WHERE row = ?1 AND (count < ?2 OR count = 0 AND ?2 = 0) RETURNING row
            """, row, Int64(count), transaction.time.reading().wall)
        return try update.step() ? .done : .conflict
    }

    static func remove(
        _ row: Int64, of owner: String, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        let delete = try transaction.connection.statement(
            "DELETE FROM passkey WHERE row = ?1 AND owner = ?2 RETURNING row", row, owner)
        return try delete.step() ? .done : .notFound
    }

    /// Those that nobody can read are left out, and open nothing.
    static func load(
        from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [Passkey] {
        let select = try connection.statement(
            "SELECT row, owner, created, last_used, count, sealed FROM passkey ORDER BY row")
        var passkeys: [Passkey] = []
        while try select.step() {
            let (row, owner, sealed) = (select.integer(0), select.text(1), select.bytes(5))
            let opened = try? sealer.open(sealed.span, at: place(row, of: owner))
            let bytes = opened.map { $0.withSpan { $0.array($0.indices) } }
            guard let record = bytes.flatMap({ PasskeyRecord.decoded($0) }),
                let key = UncompressedPoint(record.key.span)
            else { continue }
            var passkey = Passkey(
                owner: owner, name: record.name, id: record.id, key: key,
                count: UInt32(clamping: select.integer(4)))
            passkey.row = row
            passkey.created = StoreTime(milliseconds: select.integer(2))
            passkey.lastUsed =
                select.isNull(3) ? nil : StoreTime(milliseconds: select.integer(3))
            passkeys.append(passkey)
        }
        return passkeys
    }
}
