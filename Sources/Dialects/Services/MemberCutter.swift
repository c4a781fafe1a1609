import Base

/// Cuts a service's JSON to the members that its dialect reads.
struct MemberCutter {
    private struct Measure {
        let text: Int
        let elements: Int
    }

    /// The members to keep, at any depth.
    let names: Set<String>

    private static let measures = [
        Measure(text: 1_000, elements: 8), Measure(text: 300, elements: 4),
        Measure(text: 100, elements: 2), Measure(text: 40, elements: 1),
    ]
    private static let membersLimit = 64
    private static let nestingLimit = 5
    private static let numberLimit = 32

    /// Nil if it does not fit even so. `first` is written before the others.
    func cut(
        _ root: JSONNode, to limit: Int, first: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8]? {
        for measure in Self.measures {
            var writer = JSONWriter(capacity: 2 * limit)
            writer.object { writer in
                first(&writer)
                writeMembers(root, measure, depth: 1, to: &writer)
            }
            if writer.count <= limit { return writer.bytes }
        }
        return nil
    }

    private func writeMembers(
        _ node: JSONNode, _ measure: Measure, depth: Int, to writer: inout JSONWriter
    ) {
        var written: Set<String> = []
        for (name, value) in node.members where names.contains(name) {
            guard written.count < Self.membersLimit, written.insert(name).inserted else { continue }
            writer.name(text: name)
            write(value, measure, depth: depth, to: &writer)
        }
    }

    private func write(
        _ node: JSONNode, _ measure: Measure, depth: Int, to writer: inout JSONWriter
    ) {
        switch node.kind {
        case .string: write(node.text ?? "", measure, to: &writer)
        case .number where node.source.count > Self.numberLimit: writer.raw("null")
        case .object where depth < Self.nestingLimit:
            writer.object { writeMembers(node, measure, depth: depth + 1, to: &$0) }
        case .array where depth < Self.nestingLimit:
            writer.array { writer in
                for element in node.elements.prefix(measure.elements) {
                    write(element, measure, depth: depth + 1, to: &writer)
                }
            }
        case .object, .array: writer.raw("null")
        case .number, .bool, .null: writer.value(node)
        }
    }

    /// A link or a picture that was cut would be another one, or none.
    private func write(_ text: String, _ measure: Measure, to writer: inout JSONWriter) {
        let isWhole = text.utf8.count <= measure.text
        let mustBeWhole = text.hasPrefix("https://") || text.hasPrefix("data:")
        writer.string(isWhole || !mustBeWhole ? NoteText.cut(text, measure.text) : "")
    }
}
