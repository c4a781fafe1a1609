extension JSONWriter {
    /// Writes a value of a document again: numbers in JSON's own grammar or as text, and only the
    /// first of several members with one name. So all readers understand it alike.
    package mutating func value(_ node: JSONNode) { value(at: node.index, of: node.document) }

    private mutating func value(at index: Int, of document: JSONDocument.Contents) {
        let node = document.nodes[index]
        switch node.kind {
        case .string: string(document.text(of: node))
        case .bool: raw(node.flag ? "true" : "false")
        case .null: raw("null")
        case .number:
            let text = String(decoding: document.source(of: node), as: UTF8.self)
            if document.isNumber(node) { raw(text) } else { string(text) }
        case .array:
            array { writer in
                var element = index + 1
                while element < Int(node.next) {
                    writer.value(at: element, of: document)
                    element = Int(document.nodes[element].next)
                }
            }
        case .object: object { $0.members(of: index, document) }
        }
    }

    private mutating func members(of index: Int, _ document: JSONDocument.Contents) {
        let end = Int(document.nodes[index].next)
        // With many members, comparing each with all earlier ones would take long.
        var names: Set<[UInt8]>? = end - index > Self.fewNodes ? [] : nil
        var member = index + 1
        while member < end {
            let isNew =
                names?.insert(document.utf8(of: document.nodes[member])).inserted
                ?? !document.isRepeated(member, in: index)
            if isNew {
                name(text: document.text(of: document.nodes[member]))
                value(at: member + 1, of: document)
            }
            member = Int(document.nodes[member + 1].next)
        }
    }

    private static var fewNodes: Int { 64 }
}

extension JSONText {
    /// A value of somebody else's JSON, written again by this program.
    package static func anew(_ node: JSONNode) -> String {
        var writer = JSONWriter(capacity: node.source.count)
        writer.value(node)
        return writer.text
    }
}

extension JSONNode {
    /// Deeper values are not passed on. That leaves room for the levels around them, so that our
    /// readers can read the whole.
    package static let nestingLimit = 64

    /// Whether arrays and objects are nested deeper than that.
    package var isTooNested: Bool {
        var ends: [Int32] = []
        for (place, node) in document.nodes[index..<Int(document.nodes[index].next)].enumerated() {
            while let end = ends.last, Int(end) <= index + place { ends.removeLast() }
            guard node.kind == .object || node.kind == .array else { continue }
            ends.append(node.next)
            if ends.count > Self.nestingLimit { return true }
        }
        return false
    }
}

extension JSONDocument.Contents {
    fileprivate func source(of node: JSONDocument.Node) -> ArraySlice<UInt8> {
        bytes[Int(node.start)..<Int(node.end)]
    }

    /// Whether it is a number in JSON's grammar; a tolerant document may contain others.
    fileprivate func isNumber(_ node: JSONDocument.Node) -> Bool {
        let range = Int(node.start)..<Int(node.end)
        var scanner = JSONScanner(bytes, in: range)
        guard let token = try? scanner.next() else { return false }
        return token == .number(range)
    }

    /// Whether an earlier member of the same object has the same name.
    fileprivate func isRepeated(_ member: Int, in object: Int) -> Bool {
        let name = nodes[member]
        var former = object + 1
        while former < member {
            if isSameText(nodes[former], name) { return true }
            former = Int(nodes[former + 1].next)
        }
        return false
    }

    private func isSameText(_ one: JSONDocument.Node, _ other: JSONDocument.Node) -> Bool {
        guard one.flag, other.flag else { return utf8(of: one) == utf8(of: other) }
        guard one.end - one.start == other.end - other.start else { return false }
        return source(of: one).elementsEqual(source(of: other))
    }
}
