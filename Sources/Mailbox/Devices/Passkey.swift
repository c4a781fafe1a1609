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

package enum PasskeyQuery: Sendable {
    /// The one with this id.
    case id([UInt8])
    case owner(String)
}

package enum PasskeyOperation: Sendable {
    /// `.conflict` for one that is known; `.full` if the owner has too many.
    case add(Passkey)
    /// Somebody has signed in with it. `.conflict` if its count was as high before: it is a copy.
    case use(row: Int64, count: UInt32)
    case remove(row: Int64, owner: String)
}

/// What is sealed of it.
struct PasskeyRecord: Confidential, Coded {
    static var blank: PasskeyRecord { PasskeyRecord() }

    private(set) var name = ""
    private(set) var id: [UInt8] = []
    private(set) var key: [UInt8] = []

    private init() {}

    init(_ passkey: Passkey) {
        (name, id) = (passkey.name, passkey.id)
        key = passkey.key.withSpan { $0.array($0.indices) }
    }

    mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.data(&id)
        coder.data(&key)
    }
}

/// The rows of passkeys.
enum PasskeyRows {
    static let table: StaticString = "passkey"

    static func place(_ row: Int64, of owner: String) -> Sealer.Place {
        Sealer.Place(table: table, row: row, column: "sealed", owner: .name(owner))
    }

    static func digest(of id: [UInt8]) throws(StoreFault) -> [UInt8] {
        do throws(OpenSSLError) {
            var hash = try SHA256()
            return try hash.digest(of: id.span).span.array(0..<32)
        } catch { throw .crypto(error) }
    }

    /// Those that nobody can read are left out, and open nothing.
    static func load(
        _ query: PasskeyQuery, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [Passkey] {
        let columns = "SELECT row, owner, created, last_used, count, sealed FROM passkey"
        let select: StoreStatement
        switch query {
        case .id(let id):
            select = try connection.statement("\(columns) WHERE digest = ?1", try digest(of: id))
        case .owner(let owner):
            select = try connection.statement(
                "\(columns) WHERE owner = ?1 ORDER BY row", owner)
        }
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
