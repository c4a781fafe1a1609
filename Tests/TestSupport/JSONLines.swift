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
    /// The same value with its members in the order of their names, for comparing.
    package var canonical: String {
        switch kind {
        case .object:
            let members = members.sorted { $0.name < $1.name }.map { member in
                JSONText.quoted(member.name) + ":" + member.value.canonical
            }
            return "{" + members.joined(separator: ",") + "}"
        case .array: return "[" + elements.map(\.canonical).joined(separator: ",") + "]"
        case .string: return JSONText.quoted(text ?? "")
        case .number, .bool, .null: return String(decoding: source, as: UTF8.self)
        }
    }
}
