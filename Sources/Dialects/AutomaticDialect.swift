import Base

/// Chooses the dialect by the members of the payload, for sources that do not name theirs.
package enum AutomaticDialect {
    package static func dialect(of payload: [UInt8]) -> Dialect {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else {
            return .plain
        }
        if DeclarativeDialect.isMarked(root) { return .declarative }
        if root["notification"]?.kind == .object { return .matrix }
        if root["loc_key"] != nil || root["data"]?["loc_key"] != nil || root["p"] != nil {
            return .telegram
        }
        if ICQDialect.isMarked(root) { return .icq }
        if root["aps"] != nil || root["payload"] != nil || root["customId"] != nil {
            return .zpns
        }
        return .plain
    }
}
