import Base

/// How a service that pushes unencrypted JSON of its own gets an address, and what is kept of that
/// JSON.
struct Webhook: Sendable {
    /// What `bellwire topic add --from` calls the services that write it, and where their users put
    /// the address.
    let sources: KeyValuePairs<String, String>
    /// The members that its dialect reads, at any depth.
    let members: Set<String>
    /// It has one of these members, if it can be told from what scripts push.
    var marks: [StaticString] = []
    /// Whether an object with one of the marks is certainly that of the service.
    var isSurely: @Sendable (JSONNode, SenderFields) -> Bool = { _, _ in false }
    /// Cuts an object in another way than by its members; nil if it does not fit even so.
    var cut: (@Sendable (JSONNode) -> [UInt8]?)?
    /// Makes the payload in another way than by cutting it.
    var rewrite: (@Sendable ([UInt8], SenderFields) -> [UInt8])?

    /// The most bytes that are shown of a payload which is no JSON.
    private static let textLimit = 4_096

    /// What is kept of the body of a webhook: all of it, or, if it is longer than a push, the members
    /// that its dialect reads, with their texts cut.
    func payload(of body: [UInt8], _ fields: SenderFields) -> [UInt8] {
        if let rewrite { return rewrite(body, fields) }
        guard body.count > Dialect.cutLimit else { return body }
        guard let root = PlainDialect.object(body) else { return Self.text(of: body) }
        let kept = cut.map { $0(root) } ?? MemberCutter(names: members).cut(root)
        return kept ?? Self.text(of: body)
    }

    static func text(of body: [UInt8]) -> [UInt8] {
        Array(NoteText.cut(String(decoding: body, as: UTF8.self), textLimit).utf8)
    }
}

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
        _ root: JSONNode, first: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8]? {
        let limit = Dialect.cutLimit
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
