import Base
import Notifications

/// The fields of a request, from its JSON, its form or its query.
package struct GotifyFields: Sendable, Confidential {
    /// The body, if it is JSON.
    private var root: JSONNode?
    private var texts: [String: String] = [:]

    private static let names: Set = [
        "message", "title", "priority", "appid", "name", "description", "defaultPriority",
        "sortKey", "limit", "since",
    ]

    init(_ root: JSONNode) { self.root = root }

    package init(query: Span<UInt8>) { take(PercentEncoding.pairs(query)) }

    package init(
        type: Span<UInt8>, _ body: [UInt8], query: Span<UInt8>
    ) throws(GotifyRefusal) {
        guard let form = SentForm(type: type, body) else { throw .badBody }
        root = form.root
        guard root == nil else { return }
        take(form.pairs)
        take(PercentEncoding.pairs(query))
    }

    /// Of several fields with one name, the first counts.
    private mutating func take(_ pairs: [(name: [UInt8], value: [UInt8])]) {
        for (name, value) in pairs {
            let name = String(decoding: name, as: UTF8.self)
            guard Self.names.contains(name), texts[name] == nil else { continue }
            texts[name] = String(decoding: value, as: UTF8.self)
        }
    }

    /// Nil for what is missing, or null.
    func text(_ name: StaticString) throws(GotifyRefusal) -> String? {
        guard let root else { return texts["\(name)"] }
        guard let node = root[name], node.kind != .null else { return nil }
        guard let text = node.textOrNumber else { throw .bad(name) }
        return text
    }

    func number(_ name: StaticString) throws(GotifyRefusal) -> Int64? {
        guard let text = try text(name), !text.isEmpty else { return nil }
        guard let number = Int64(text) else { throw .bad(name) }
        return number
    }

    /// Nil for what is missing, null, or not in JSON. It is passed on, so it must not be too deep.
    func object(_ name: StaticString) throws(GotifyRefusal) -> JSONNode? {
        guard let node = root?[name], node.kind != .null else { return nil }
        guard node.kind == .object, !node.isTooNested else { throw .bad(name) }
        return node
    }
}

extension String {
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
