import Base

/// What a node tells of itself with each sign of life. Nothing of it is secret: ids of master keys
/// are in everything that they sealed.
package struct NodeTerms: Equatable, Sendable {
    /// The newest schema that the node can follow.
    package var schema: Int
    /// The ids of the master keys that it has.
    package var keys: Set<UInt64>
    /// The id of the one under which it seals. Nil as long as it has no store.
    package var sealingKey: UInt64?

    package init(schema: Int, keys: Set<UInt64> = [], sealingKey: UInt64? = nil) {
        self.schema = schema
        self.keys = keys
        self.sealingKey = sealingKey
    }

    /// Nil unless a node has written it so.
    init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(body).root, let schema = root["schema"]?.integer,
            let keys = root["keys"]?.texts
        else { return nil }
        self.init(
            schema: Int(schema), keys: Set(keys.compactMap { UInt64($0, radix: 16) }),
            sealingKey: root["sealing"]?.text.flatMap { UInt64($0, radix: 16) })
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
        }
        return writer.bytes
    }
}
