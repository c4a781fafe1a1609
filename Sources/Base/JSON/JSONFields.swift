/// What a whole answer is read as.
package protocol JSONAnswer {
    /// Nil if the answer is something else.
    init?(json: [UInt8])
}

/// An object with one list of its members, by which it is written and read.
package protocol JSONObject: JSONAnswer {
    /// Has the values that stand for missing members.
    init()

    /// Names each member once, in the order in which they are written.
    mutating func fields(_ fields: inout JSONFields)
}

/// An object that a server lists, as the only member of an answer.
package protocol ListedObject: JSONObject {
    static var list: StaticString { get }
}

/// A number with a name that is not known before.
package struct JSONCount: Equatable, Sendable {
    package let name: String
    package let count: Int

    package init(_ name: String, _ count: Int) { (self.name, self.count) = (name, count) }
}

/// Goes through the members of an object, and writes each of them or sets it. When it reads, members
/// of another kind count as missing, and a missing member keeps its value.
package struct JSONFields: ~Copyable {
    /// What is read; nil if the object is written.
    private var node: JSONNode?
    private var writer: JSONWriter
    /// Everything was there that is always written.
    fileprivate private(set) var isComplete = true

    fileprivate init(_ node: JSONNode) {
        self.node = node
        writer = JSONWriter(capacity: 0)
    }

    fileprivate init(_ writer: consuming JSONWriter) { self.writer = writer }

    fileprivate consuming func end() -> JSONWriter { writer }

    fileprivate mutating func object(_ members: (inout JSONFields) -> Void) {
        guard node == nil else {
            isComplete = isComplete && node?.kind == .object
            return members(&self)
        }
        writer.open(UInt8(ascii: "{"))
        members(&self)
        writer.close(UInt8(ascii: "}"))
    }

    private mutating func read(_ inner: JSONNode, _ members: (inout JSONFields) -> Void) {
        let outer = node
        node = inner
        object(members)
        node = outer
    }

    private mutating func take<Value>(_ found: Value?, _ value: inout Value) {
        if let found { value = found } else { isComplete = false }
    }
}

extension JSONFields {
    package mutating func member(_ name: StaticString, _ value: inout String) {
        guard let node else { return writer.member(name, value) }
        take(node[name]?.textOrNumber, &value)
    }

    package mutating func member(_ name: StaticString, _ value: inout Int) {
        guard let node else { return writer.member(name, value) }
        take(node[name]?.integer.map(Int.init), &value)
    }

    package mutating func member(_ name: StaticString, _ value: inout Bool) {
        guard let node else { return writer.member(name, value) }
        take(node[name]?.bool, &value)
    }

    /// Left out if it is nil; the same holds for a number and an object.
    package mutating func member(_ name: StaticString, _ value: inout String?) {
        if let node {
            value = node[name]?.textOrNumber
        } else if let value {
            writer.member(name, value)
        }
    }

    package mutating func member(_ name: StaticString, _ value: inout Int?) {
        if let node {
            value = node[name]?.integer.map(Int.init)
        } else if let value {
            writer.member(name, value)
        }
    }

    package mutating func member<Value: JSONObject>(_ name: StaticString, _ value: inout Value?) {
        if let node { value = node[name]?.kind == .object ? Value() : nil }
        guard var some = value else { return }
        member(name, if: true) { some.fields(&$0) }
        value = some
    }

    /// An object whose members have their places elsewhere. It is written only if there is one.
    package mutating func member(
        _ name: StaticString, if isThere: Bool, _ members: (inout JSONFields) -> Void
    ) {
        if let inner = node?[name] { return read(inner, members) }
        guard node == nil, isThere else { return }
        writer.name(name)
        object(members)
    }

    package mutating func member(
        _ name: StaticString, _ members: (inout JSONFields) -> Void
    ) {
        if let node, !node.has(name) { isComplete = false }
        member(name, if: true, members)
    }

    package mutating func member<Value: JSONObject>(
        _ name: StaticString, _ values: inout [Value]
    ) {
        guard let node else {
            writer.name(name)
            writer.open(UInt8(ascii: "["))
            for var value in values { object { value.fields(&$0) } }
            return writer.close(UInt8(ascii: "]"))
        }
        isComplete = isComplete && node[name]?.kind == .array
        values = []
        for element in node[name]?.elements ?? [] {
            var value = Value()
            read(element) { value.fields(&$0) }
            values.append(value)
        }
    }

    package mutating func member(_ name: StaticString, _ values: inout [Int]) {
        guard let node else {
            writer.name(name)
            return writer.array { writer in for value in values { writer.number(value) } }
        }
        values = (node[name]?.elements ?? []).compactMap { $0.integer.map(Int.init) }
    }

    /// Left out if there are none.
    package mutating func texts(_ name: StaticString, _ values: inout [String]) {
        if let node {
            values = (node[name]?.elements ?? []).compactMap(\.text)
        } else if !values.isEmpty {
            writer.name(name)
            writer.array { writer in for value in values { writer.string(value) } }
        }
    }

    /// Times in microseconds, which are written in seconds.
    package mutating func member(_ name: StaticString, seconds times: inout [Int]) {
        guard let node else {
            writer.name(name)
            return writer.array { writer in
                for time in times { writer.raw("\(Double(time) / 1_000_000)") }
            }
        }
        times = (node[name]?.elements ?? []).compactMap { $0.textOrNumber.flatMap(Double.init) }
            .filter { abs($0) < 1e9 }.map { Int(($0 * 1_000_000).rounded()) }
    }

    /// An object of numbers; left out if there are none.
    package mutating func member(_ name: StaticString, counts: inout [JSONCount]) {
        if let node {
            counts = (node[name]?.members ?? []).compactMap { name, value in
                value.integer.map { JSONCount(name, Int($0)) }
            }
        } else if !counts.isEmpty {
            writer.name(name)
            writer.object { writer in
                for item in counts {
                    writer.name(text: item.name)
                    writer.number(item.count)
                }
            }
        }
    }

    /// Left out if it is empty.
    package mutating func text(_ name: StaticString, _ value: inout String) {
        var text = value.isEmpty ? nil : value
        member(name, &text)
        value = text ?? ""
    }

    /// An object of texts; left out if there are none.
    package mutating func member(
        _ name: StaticString, texts: inout [(name: String, value: String)]
    ) {
        if let node {
            texts = (node[name]?.members ?? []).compactMap { name, value in
                value.textOrNumber.map { (name, $0) }
            }
        } else if !texts.isEmpty {
            writer.name(name)
            writer.object { writer in
                for text in texts { writer.member(text: text.name, text.value) }
            }
        }
    }

    /// Left out if it is false.
    package mutating func flag(_ name: StaticString, _ value: inout Bool) {
        if let node {
            value = node[name]?.bool ?? false
        } else if value {
            writer.member(name, true)
        }
    }

    /// The member says that it is not so, and is left out if it is.
    package mutating func denial(_ name: StaticString, _ value: inout Bool) {
        var isDenied = !value
        flag(name, &isDenied)
        value = !isDenied
    }

    /// What readers know from other members, or need not know.
    package mutating func constant(_ name: StaticString, _ value: String) {
        if node == nil { writer.member(name, value) }
    }

    package mutating func constant(_ name: StaticString, _ value: Bool) {
        if node == nil { writer.member(name, value) }
    }
}

extension JSONFields {
    /// An object of these members.
    package static func text(_ members: (inout JSONFields) -> Void) -> String {
        var fields = JSONFields(JSONWriter())
        fields.object(members)
        return fields.end().text
    }
}

extension JSONWriter {
    /// Writes members of an object that is open.
    package mutating func fields(_ members: (inout JSONFields) -> Void) {
        var fields = JSONFields(consume self)
        members(&fields)
        self = fields.end()
    }
}

extension JSONObject {
    /// An object that is built member by member.
    package init(_ build: (inout Self) -> Void) {
        self.init()
        build(&self)
    }

    /// What a node has of it.
    package init(_ node: JSONNode) {
        self.init()
        var fields = JSONFields(node)
        fields.object { self.fields(&$0) }
    }

    /// Nil if a member is missing that is always written.
    package init?(json: [UInt8]) {
        guard let node = try? JSONDocument(json).root else { return nil }
        self.init()
        var fields = JSONFields(node)
        fields.object { self.fields(&$0) }
        guard fields.isComplete else { return nil }
    }

    package var json: [UInt8] {
        var copy = self
        var fields = JSONFields(JSONWriter())
        fields.object { copy.fields(&$0) }
        return fields.end().bytes
    }
}

extension Array: JSONAnswer where Element: ListedObject {
    /// Nil if the answer is no such list.
    package init?(json: [UInt8]) {
        guard let node = try? JSONDocument(json).root else { return nil }
        self = []
        var fields = JSONFields(node)
        fields.member(Element.list, &self)
        guard fields.isComplete else { return nil }
    }

    package var json: [UInt8] {
        var copy = self
        var fields = JSONFields(JSONWriter())
        fields.object { $0.member(Element.list, &copy) }
        return fields.end().bytes
    }
}

/// Only a few members of it are wanted, or it is written elsewhere.
extension JSONNode: JSONAnswer {
    package init?(json: [UInt8]) {
        guard let node = try? JSONDocument(json).root else { return nil }
        self = node
    }
}
