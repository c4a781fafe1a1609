package import Base
import Foundation

extension Vectors {
    /// The lines of a file, each a JSON value.
    package static func lines(of name: String) throws -> [JSONNode] {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDocument(Array($0.utf8)).root }
    }
}

extension JSONNode {
    /// The same value with its members sorted by name, for comparing.
    package var canonical: String { canonical { _ in true } }

    /// The same value without our own members, as another program would have it.
    package var withoutOurs: String { canonical { !$0.hasPrefix("bellwire.") } }

    private func canonical(where isKept: (String) -> Bool) -> String {
        switch kind {
        case .object:
            let members = members.filter { isKept($0.name) }.sorted { $0.name < $1.name }
                .map { JSONText.quoted($0.name) + ":" + $0.value.canonical(where: isKept) }
            return "{" + members.joined(separator: ",") + "}"
        case .array:
            return "[" + elements.map { $0.canonical(where: isKept) }.joined(separator: ",") + "]"
        case .string: return JSONText.quoted(text ?? "")
        case .number, .bool, .null: return String(decoding: source, as: UTF8.self)
        }
    }
}
