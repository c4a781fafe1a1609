import Base
package import Crypto
import SQLite

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
            // Earlier schemas lack some.
            let isThere = try connection.number(
                "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2",
                column.table.description, column.column.description)
            guard isThere == 1 else { continue }
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
