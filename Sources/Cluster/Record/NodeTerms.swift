import Base
import Mailbox

/// What a node tells of itself with each sign of life. Nothing of it is secret: ids of master keys
/// are in everything that they sealed.
package struct NodeTerms: Equatable, Sendable {
    /// The newest schema that the node can follow.
    package var schema: Int
    /// The ids of the master keys that it has.
    package var keys: Set<UInt64>
    /// The id of the one under which it seals. Nil as long as it has no store.
    package var sealingKey: UInt64?
    /// It waits for a copy of the store that has this entry of the log.
    package var wantedCopy: Int64?
    /// What its tables contained after an entry of the log.
    var tables: TableDigests?

    package init(
        schema: Int, keys: Set<UInt64> = [], sealingKey: UInt64? = nil, wantedCopy: Int64? = nil
    ) {
        self.schema = schema
        self.keys = keys
        self.sealingKey = sealingKey
        self.wantedCopy = wantedCopy
    }

    /// Nil unless a node has written it so.
    init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(body).root, let schema = root["schema"]?.integer,
            let keys = root["keys"]?.texts
        else { return nil }
        self.init(
            schema: Int(schema), keys: Set(keys.compactMap { UInt64($0, radix: 16) }),
            sealingKey: root["sealing"]?.text.flatMap { UInt64($0, radix: 16) },
            wantedCopy: root["copy"]?.integer)
        if let entry = root["compared"]?.integer, let digests = root["tables"]?.texts {
            tables = TableDigests(entry: entry, digests: digests)
        }
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("schema", schema)
            writer.name("keys")
            writer.array { writer in
                for key in keys.sorted() { writer.string(String(key, radix: 16)) }
            }
            if let sealingKey { writer.member("sealing", String(sealingKey, radix: 16)) }
            if let wantedCopy { writer.member("copy", Int(wantedCopy)) }
            guard let tables else { return }
            writer.member("compared", Int(tables.entry))
            writer.name("tables")
            writer.array { writer in for digest in tables.digests { writer.string(digest) } }
        }
        return writer.bytes
    }
}
