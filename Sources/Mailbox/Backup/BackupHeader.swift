import Base
package import Crypto
import SQLite

/// What a backup says about itself, in the one row of its table `backup`.
package struct BackupHeader: Equatable, Sendable {
    /// How the master key is in the backup.
    package enum Protection: String, Sendable {
        case clear
        /// Sealed under a passphrase.
        case passphrase
        /// The master key is not in the backup.
        case none
    }

    /// The version of the format. A later one may be laid out differently.
    static let format: Int64 = 2
    static let table = Migration(
        "backup",
        """
        CREATE TABLE backup (
            only INTEGER PRIMARY KEY CHECK (only = 1), format INTEGER NOT NULL,
            made INTEGER NOT NULL, program TEXT NOT NULL, protection TEXT NOT NULL,
            keys BLOB NOT NULL
        );
        """)

    /// Milliseconds since 1970.
    package let made: Int64
    /// The version of the program that made it.
    package let program: String
    package let protection: Protection
    /// The master keys as `protection` says; empty for `none`.
    let keys: [UInt8]

    func write(on connection: borrowing Connection) throws(StoreFault) {
        try connection.forStore { connection throws(SQLiteError) in
            try connection.execute(Self.table.sql)
        }
        try connection.run(
            "INSERT INTO backup VALUES (1, ?1, ?2, ?3, ?4, ?5)", Self.format, made, program,
            protection.rawValue, keys)
    }

    enum Found: Equatable {
        case none
        case earlierFormat
        case laterFormat
        case header(BackupHeader)
    }

    static func read(on connection: borrowing Connection) throws(StoreFault) -> Found {
        let tables = try connection.number(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'backup'")
        guard tables == 1 else { return .none }
        let format = try connection.number("SELECT format FROM backup")
        guard format == Self.format else {
            return format > Self.format ? .laterFormat : .earlierFormat
        }
        let select = try StoreStatement(
            "SELECT made, program, protection, keys FROM backup", on: connection)
        guard try select.step(), let protection = Protection(rawValue: select.text(2)) else {
            return .none
        }
        return .header(
            BackupHeader(
                made: select.integer(0), program: select.text(1), protection: protection,
                keys: select.bytes(3)))
    }
}

/// The master keys that a store needs: the current one and, during a rotation, former ones.
package struct BackupKeys: Sendable, Confidential {
    package let master: MasterKey
    package let former: [MasterKey]

    /// The most that a backup has. A rotation needs two, and another one may have begun while the
    /// backup did.
    private static let limit = 4

    /// The first key is the current one; nil if there is none. Repeated keys count once.
    package init?(_ keys: [MasterKey]) {
        var ids = Set<UInt64>()
        let keys = keys.filter { ids.insert($0.id).inserted }
        guard let first = keys.first else { return nil }
        master = first
        former = Array(keys.dropFirst().prefix(Self.limit - 1))
    }

    var all: [MasterKey] { [master] + former }

    package func shareAny(with other: BackupKeys) -> Bool {
        !Set(all.map(\.id)).isDisjoint(with: other.all.map(\.id))
    }

    /// The keys one after the other.
    var bytes: Secret {
        let keys = all
        return Secret(count: keys.count * MasterKey.length) { block in
            for (number, key) in keys.enumerated() {
                key.withBytes { bytes in
                    for index in bytes.indices {
                        block[number * MasterKey.length + index] = bytes[index]
                    }
                }
            }
        }
    }

    /// Nil if these are not `bytes` of such keys.
    init?(bytes: Secret) throws(OpenSSLError) {
        guard bytes.count > 0, bytes.count.isMultiple(of: MasterKey.length),
            bytes.count <= Self.limit * MasterKey.length
        else { return nil }
        var keys: [MasterKey] = []
        for start in stride(from: 0, to: bytes.count, by: MasterKey.length) {
            let one = bytes.withSpan { Secret($0.extracting(start..<start + MasterKey.length)) }
            if let key = try MasterKey(one) { keys.append(key) }
        }
        self.init(keys)
    }

    func sealer() throws(StoreFault) -> Sealer {
        do throws(OpenSSLError) {
            return try Sealer(current: master, former: former)
        } catch { throw .crypto(error) }
    }
}

/// What the keys have to open.
enum StoredSeals {
    /// The ids of the keys under which anything is sealed.
    static func keyIDs(on connection: borrowing Connection) throws(StoreFault) -> Set<UInt64> {
        var ids = Set<UInt64>()
        for column in Resealing.columns {
            let select = try StoreStatement(
                "SELECT DISTINCT substr(\(column.column), 1, 9) FROM \(column.table)",
                on: connection)
            while try select.step() {
                if let id = select.withBytes(0, { Sealer.masterKeyID(ofStart: $0) }) {
                    ids.insert(id)
                }
            }
        }
        return ids
    }

    /// Fails if something is sealed under another key, or the keys of the installation, which it
    /// returns, do not open.
    static func check(
        _ connection: borrowing Connection, _ keys: BackupKeys
    ) throws(StoreFault) -> OwnKeys {
        guard let record = try StateRow.read(on: connection) else {
            throw .damaged("its state is missing")
        }
        let own = try OwnKeys(record.sealedKeys, keys.sealer())
        guard try keyIDs(on: connection).isSubset(of: keys.all.map(\.id)) else {
            throw .wrongMasterKey
        }
        return own
    }
}

/// The last line of a backup: a checksum of all that is before it, and a code of that checksum, which
/// only the keys of the installation can make. SQLite does not read so far.
///
///     ⏎bellwire backup sha256 HEXADECIMAL hmac HEXADECIMAL⏎
struct BackupSeal: Equatable, Sendable {
    private static let start = "\nbellwire backup sha256 "
    private static let middle = " hmac "
    private static let digits = 64
    /// Bytes of the line, with the line feed before it.
    static let length = start.utf8.count + digits + middle.utf8.count + digits + 1

    private let digest: [UInt8]
    private let code: [UInt8]

    init(_ digest: Digest, code: Digest) {
        self.digest = digest.hexadecimal
        self.code = code.hexadecimal
    }

    /// Nil if the bytes are not such a line.
    init?(line: [UInt8]) {
        let end = Self.start.utf8.count + Self.digits
        guard line.count == Self.length, line.starts(with: Self.start.utf8),
            line[end...].starts(with: Self.middle.utf8), line.last == UInt8(ascii: "\n")
        else { return nil }
        digest = Array(line[Self.start.utf8.count..<end])
        code = Array(line[(end + Self.middle.utf8.count)...].dropLast())
    }

    var line: [UInt8] {
        Array(Self.start.utf8) + digest + Array(Self.middle.utf8) + code + [UInt8(ascii: "\n")]
    }

    func isOf(_ digest: Digest) -> Bool { self.digest == digest.hexadecimal }

    func hasCode(_ code: Digest) -> Bool {
        self.code.span.isEqualSecretly(to: code.hexadecimal.span)
    }

    /// The code of a file with this checksum.
    static func code(
        of digest: Digest, under keys: OwnKeys
    ) throws(OpenSSLError) -> Digest {
        var hash = try SHA256()
        let bytes = digest.bytes
        return try keys.backup.withSpan { key throws(OpenSSLError) in
            Digest(try hash.hmac(key: key, bytes.span))
        }
    }
}
