import Base

/// Why a template gives no text.
enum TemplateFailure: Error {
    /// It is no template, or one with functions that are not known.
    case syntax
    /// It defines or calls other templates.
    case forbidden
    /// What it asks for is not there, has another type, or takes too long.
    case execution
}

/// What a template works with: JSON, as Go holds it, and what functions make of it.
enum TemplateValue: Sendable {
    /// A member that is missing, or a null that was taken out of the JSON.
    case none
    /// A null inside the JSON.
    case null
    case bool(Bool)
    case int(Int64)
    case float(Double)
    case text(String)
    case list([TemplateValue])
    case map(TemplateMap)

    /// Nil for a number that no `Double` can hold. JSON has at most 100 levels.
    init?(_ node: JSONNode) {
        switch node.kind {
        case .null: self = .null
        case .bool: self = .bool(node.bool == true)
        case .string: self = .text(node.text ?? "")
        case .number:
            guard let number = node.textOrNumber.flatMap(Double.init), number.isFinite else {
                return nil
            }
            self = .float(number)
        case .array:
            var list: [TemplateValue] = []
            for element in node.elements {
                guard let value = TemplateValue(element) else { return nil }
                list.append(value)
            }
            self = .list(list)
        case .object:
            var members: [TemplateMap.Member] = []
            for (name, element) in node.members {
                guard let value = TemplateValue(element) else { return nil }
                members.append((name, value))
            }
            self = .map(TemplateMap(members))
        }
    }

    /// Nil for anything that is not JSON as a whole.
    init?(json: [UInt8]) {
        guard let root = try? JSONDocument(json).root else { return nil }
        self.init(root)
    }

    /// What it is once it was taken out of what holds it.
    var taken: TemplateValue {
        if case .null = self { .none } else { self }
    }

    var isNothing: Bool {
        switch self {
        case .none, .null: true
        default: false
        }
    }

    var isScalar: Bool {
        switch self {
        case .list, .map: false
        default: true
        }
    }

    /// What `if`, `with`, `and`, `or` and `default` take for true.
    var isTrue: Bool {
        switch self {
        case .none, .null: false
        case .bool(let value): value
        case .int(let value): value != 0
        case .float(let value): value != 0
        case .text(let text): !text.isEmpty
        case .list(let list): !list.isEmpty
        case .map(let map): !map.members.isEmpty
        }
    }
}

/// The members of an object by their names, in which order Go prints and visits them. Names are the
/// same if their bytes are, as in Go.
struct TemplateMap: Sendable {
    typealias Member = (name: String, value: TemplateValue)

    let members: [Member]

    /// Of several members with one name, the last counts.
    init(_ all: [Member]) {
        var members: [Member] = []
        let sorted = all.enumerated().sorted { left, right in
            let (name, other) = (left.element.name, right.element.name)
            return name.utf8.elementsEqual(other.utf8)
                ? left.offset < right.offset : name.utf8.lexicographicallyPrecedes(other.utf8)
        }
        for (_, member) in sorted {
            if members.last?.name.utf8.elementsEqual(member.name.utf8) == true {
                members.removeLast()
            }
            members.append(member)
        }
        self.members = members
    }

    /// The most names that are compared to find one.
    var depth: Int { Int.bitWidth - members.count.leadingZeroBitCount }

    subscript(_ name: String) -> TemplateValue? {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if members[middle].name.utf8.elementsEqual(name.utf8) { return members[middle].value }
            if members[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return nil
    }
}

/// A text that grows up to a limit.
struct TemplateText {
    /// As ntfy limits the output of a template.
    static let limit = 1 << 20

    private(set) var text = ""

    mutating func append(_ more: some StringProtocol) throws(TemplateFailure) {
        guard text.utf8.count + more.utf8.count <= Self.limit else { throw .execution }
        text += more
    }

    /// As Go prints with `%v`.
    mutating func append(_ value: TemplateValue) throws(TemplateFailure) {
        switch value {
        case .none, .null: try append("<nil>")
        case .bool(let value): try append(value ? "true" : "false")
        case .int(let value): try append("\(value)")
        case .float(let value): try append(GoNumber.shortest(value))
        case .text(let text): try append(text)
        case .list(let list):
            try append("[")
            for (index, element) in list.enumerated() {
                if index > 0 { try append(" ") }
                try append(element)
            }
            try append("]")
        case .map(let map):
            try append("map[")
            for (index, member) in map.members.enumerated() {
                if index > 0 { try append(" ") }
                try append(member.name)
                try append(":")
                try append(member.value)
            }
            try append("]")
        }
    }
}

extension TemplateValue {
    /// As Go prints it with `%v`.
    func printed() throws(TemplateFailure) -> String {
        if case .text(let text) = self { return text }
        var text = TemplateText()
        try text.append(self)
        return text.text
    }
}
