/// A whole JSON text, checked once and then read member by member.
///
/// A flat list of nodes over the bytes: no string, dictionary or object is made until a value is
/// asked for.
package struct JSONDocument: Sendable {
    package enum Kind: UInt8, Sendable {
        case object, array, string, number, bool, null
    }

    struct Node: Sendable {
        let kind: Kind
        /// For a string, whether it has no escapes. For a boolean, its value.
        let flag: Bool
        /// The first byte of the value; for a string, the byte after the quote.
        let start: Int32
        var end: Int32
        /// The node after this value and everything inside it; while it is open, the node that
        /// contains it.
        var next: Int32
    }

    /// All nodes share it, so that passing a node on counts a single reference.
    final class Contents: Sendable {
        let bytes: [UInt8]
        let nodes: [Node]

        init(_ bytes: [UInt8], _ nodes: [Node]) {
            self.bytes = bytes
            self.nodes = nodes
        }
    }

    let contents: Contents

    /// With `isTolerant` it accepts what TDLib accepts: any run of digits, signs, points and
    /// exponents as a number, any escaped letter, control characters in strings, and one more
    /// level. The reader of such a value has to check it.
    package init(
        _ bytes: [UInt8], isTolerant: Bool = false
    ) throws(JSONScanner.Failure) {
        guard bytes.count <= Self.sizeLimit else { throw .tooDeep }
        var scanner = JSONScanner(bytes)
        scanner.isTolerant = isTolerant
        var nodes: [Node] = []
        nodes.reserveCapacity(bytes.count / 8 + 4)
        try nodes.read(from: &scanner)
        contents = Contents(bytes, nodes)
    }

    package var root: JSONNode { JSONNode(contents, 0) }

    /// Positions have 32 bits; no document comes near this size.
    private static let sizeLimit = 1 << 30
}

extension JSONDocument.Contents {
    /// The node of the member's value, if that node is an object and has it.
    func value(of name: StaticString, in object: Int) -> Int? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        // This uses buffers, because arrays would be retained and checked at every step.
        return nodes.withUnsafeBufferPointer { nodes in
            bytes.withUnsafeBufferPointer { bytes in
                guard nodes[object].kind == .object else { return nil }
                let end = Int(nodes[object].next)
                var index = object &+ 1
                while index < end {
                    if isEqual(nodes[index], name, bytes) { return index &+ 1 }
                    index = Int(nodes[index &+ 1].next)
                }
                return nil
            }
        }
    }

    @inline(__always)
    private func isEqual(
        _ node: JSONDocument.Node, _ name: UnsafeBufferPointer<UInt8>,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard node.flag else { return utf8(of: node).elementsEqual(name) }
        guard Int(node.end &- node.start) == name.count else { return false }
        // Most names of the same length differ in the first letters.
        var index = 0
        while index < name.count, bytes[Int(node.start) &+ index] == name[index] { index &+= 1 }
        return index == name.count
    }

    func text(of string: JSONDocument.Node) -> String {
        string.flag
            ? String(decoding: bytes[Int(string.start)..<Int(string.end)], as: UTF8.self)
            : String(decoding: utf8(of: string), as: UTF8.self)
    }

    func utf8(of node: JSONDocument.Node) -> [UInt8] {
        JSONScanner(bytes).utf8(
            of: JSONText(range: Int(node.start)..<Int(node.end), isPlain: node.flag))
    }
}

extension [JSONDocument.Node] {
    fileprivate mutating func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) {
        /// The innermost object or array that is still open.
        var open: Int32 = -1
        while true {
            switch try scanner.next() {
            case .beginObject:
                append(.object, scanner.position - 1..<scanner.position, next: open)
                open = Int32(count - 1)
            case .beginArray:
                append(.array, scanner.position - 1..<scanner.position, next: open)
                open = Int32(count - 1)
            case .endObject, .endArray:
                let index = Int(open)
                open = self[index].next
                self[index].end = Int32(scanner.position)
                self[index].next = Int32(count)
            case .name(let text), .string(let text):
                append(.string, text.range, flag: text.isPlain)
            case .number(let range): append(.number, range)
            case .bool(let value):
                append(.bool, scanner.position..<scanner.position, flag: value)
            case .null: append(.null, scanner.position..<scanner.position)
            case .end: return
            }
        }
    }

    private mutating func append(
        _ kind: JSONDocument.Kind, _ range: Range<Int>, flag: Bool = false, next: Int32? = nil
    ) {
        append(
            JSONDocument.Node(
                kind: kind, flag: flag, start: Int32(range.lowerBound),
                end: Int32(range.upperBound), next: next ?? Int32(count + 1)))
    }
}
