extension JSONWriter {
    /// The value of a document, written anew: numbers in JSON's own grammar or as text, and of
    /// several members of one name the first, so that no two readers take it for different things.
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
        // Of many, to look at all that are before each would take long.
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
    /// A value of somebody else's, written by us.
    package static func anew(_ node: JSONNode) -> String {
        var writer = JSONWriter(capacity: node.source.count)
        writer.value(node)
        return writer.text
    }
}

extension JSONNode {
    /// What stands deeper is not told on: around it there is room for what we write, so that whoever
    /// reads as we do can read all of it.
    package static let nestingLimit = 64

    /// Whether arrays and objects stand in each other deeper than that.
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

    /// Written as JSON wants it: a document may take looser ones.
    fileprivate func isNumber(_ node: JSONDocument.Node) -> Bool {
        let range = Int(node.start)..<Int(node.end)
        var scanner = JSONScanner(bytes, in: range)
        guard let token = try? scanner.next() else { return false }
        return token == .number(range)
    }

    /// Whether a member before it in the same object has the same name.
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
