import Base

/// A function that templates may call.
struct TemplateFunction: Sendable {
    typealias Body =
        @Sendable (TemplateArguments, inout TemplateBudget) throws(TemplateFailure)
        -> TemplateValue

    let name: String
    /// How many arguments it takes.
    let counts: ClosedRange<Int>
    /// Of `and` and `or`: the truth of the argument behind which no other is looked at.
    let decisive: Bool?
    let body: Body

    init(
        _ name: String, _ counts: ClosedRange<Int>, decisive: Bool? = nil, _ body: @escaping Body
    ) {
        (self.name, self.counts, self.decisive, self.body) = (name, counts, decisive, body)
    }

    init(_ name: String, _ count: Int, _ body: @escaping Body) {
        self.init(name, count...count, body)
    }

    static let many = 1...Int.max

    static let named: [String: TemplateFunction] = {
        let all = logic + orders + output + texts + containers
        return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }()
}

/// The arguments of one call, as the types that a function takes.
struct TemplateArguments {
    let values: [TemplateValue]

    var count: Int { values.count }

    subscript(_ index: Int) -> TemplateValue { values[index] }

    func text(_ index: Int) throws(TemplateFailure) -> String {
        guard case .text(let text) = values[index] else { throw .execution }
        return text
    }

    /// Numbers of JSON are accepted where they are whole, which Go does not do.
    func int(_ index: Int) throws(TemplateFailure) -> Int64 {
        switch values[index] {
        case .int(let number): return number
        case .float(let number):
            guard let number = Int64(exactly: number) else { throw .execution }
            return number
        default: throw .execution
        }
    }

    func list(_ index: Int) throws(TemplateFailure) -> [TemplateValue] {
        guard case .list(let list) = values[index] else { throw .execution }
        return list
    }

    /// How many bytes or elements the value has.
    func length(_ index: Int) throws(TemplateFailure) -> Int64 {
        switch values[index] {
        case .text(let text): return Int64(text.utf8.count)
        case .list(let list): return Int64(list.count)
        case .map(let map): return Int64(map.members.count)
        default: throw .execution
        }
    }

    /// As Go prints several values: a space stands between two that are no texts.
    func printed() throws(TemplateFailure) -> String {
        var text = TemplateText()
        var wasText = true
        for (index, value) in values.enumerated() {
            var isText = false
            if case .text = value { isText = true }
            if index > 0, !isText, !wasText { try text.append(" ") }
            try text.append(value)
            wasText = isText
        }
        return text.text
    }
}

extension TemplateBudget {
    /// A text that a function has made.
    mutating func made(_ text: String) throws(TemplateFailure) -> TemplateValue {
        guard text.utf8.count <= TemplateText.limit else { throw .execution }
        try pay(bytes: text.utf8.count)
        return .text(text)
    }

    /// A list that a function has made. It holds no other lists, so that no value can become deeper
    /// than JSON may be.
    mutating func made(_ list: [TemplateValue]) throws(TemplateFailure) -> TemplateValue {
        guard list.allSatisfy(\.isScalar) else { throw .execution }
        try pay(bytes: 16 * list.count)
        return .list(list)
    }
}

/// Comparisons and logic.
extension TemplateFunction {
    private static let logic: [TemplateFunction] = [
        TemplateFunction("and", many, decisive: false) { arguments, _ in arguments[0] },
        TemplateFunction("or", many, decisive: true) { arguments, _ in arguments[0] },
        TemplateFunction("not", 1) { arguments, _ in .bool(!arguments[0].isTrue) },
        TemplateFunction("empty", 1) { arguments, _ in .bool(!arguments[0].isTrue) },
        TemplateFunction("default", 1...2) { arguments, _ in
            arguments.count > 1 && arguments[1].isTrue ? arguments[1] : arguments[0]
        },
        TemplateFunction("coalesce", 0...Int.max) { arguments, _ in
            arguments.values.first(where: \.isTrue) ?? .none
        },
        TemplateFunction("fail", 1) { _, _ throws(TemplateFailure) in throw .execution },
    ]

    private static let orders: [TemplateFunction] = [
        TemplateFunction("eq", 2...Int.max) { arguments, budget throws(TemplateFailure) in
            for other in arguments.values.dropFirst() {
                if try order(arguments[0], other, &budget) == 0 { return .bool(true) }
            }
            return .bool(false)
        },
        comparison("ne", ofAny: true) { $0 != 0 }, comparison("lt") { $0 < 0 },
        comparison("le") { $0 <= 0 }, comparison("gt") { $0 > 0 }, comparison("ge") { $0 >= 0 },
    ]

    /// `ofAny`: also of values that have no order.
    private static func comparison(
        _ name: String, ofAny: Bool = false, _ isRight: @escaping @Sendable (Int) -> Bool
    ) -> TemplateFunction {
        TemplateFunction(name, 2) { arguments, budget throws(TemplateFailure) in
            switch arguments[0] {
            case .int, .float, .text: if !ofAny, arguments[1].isNothing { throw .execution }
            default: guard ofAny else { throw .execution }
            }
            return .bool(isRight(try order(arguments[0], arguments[1], &budget)))
        }
    }

    /// Negative, zero or positive. Only values of one type can be compared, and anything with
    /// nothing.
    private static func order(
        _ left: TemplateValue, _ right: TemplateValue, _ budget: inout TemplateBudget
    ) throws(TemplateFailure) -> Int {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return left == right ? 0 : 1
        case (.int(let left), .int(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.float(let left), .float(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)):
            try budget.pay(bytes: min(left.utf8.count, right.utf8.count))
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        default:
            guard left.isNothing || right.isNothing else { throw .execution }
            return left.isNothing && right.isNothing ? 0 : 1
        }
    }
}

/// What makes a text of any values.
extension TemplateFunction {
    private static let output: [TemplateFunction] = [
        printing("print") { $0 },
        // A form writes a blank as a plus sign.
        printing("urlquery") { text in
            text.split(separator: " ", omittingEmptySubsequences: false)
                .map { PercentEncoding.encoded(String($0)) }.joined(separator: "+")
        },
        TemplateFunction("println", 0...Int.max) { arguments, budget throws(TemplateFailure) in
            try budget.made(joined(arguments.values, by: " ") + "\n")
        },
        TemplateFunction("printf", many) { arguments, budget throws(TemplateFailure) in
            try budget.made(GoFormat.text(arguments.text(0), arguments.values.dropFirst()))
        },
        TemplateFunction("quote", 1) { arguments, budget throws(TemplateFailure) in
            try budget.made(arguments[0].isNothing ? "" : GoText.quoted(arguments[0].printed()))
        },
        TemplateFunction("join", 2) { arguments, budget throws(TemplateFailure) in
            guard case .list(let list) = arguments[1] else {
                return try budget.made(arguments[1].isNothing ? "" : arguments[1].printed())
            }
            return try budget.made(joined(list.filter { !$0.isNothing }, by: arguments.text(0)))
        },
    ]

    private static func printing(
        _ name: String, _ change: @escaping @Sendable (String) -> String
    ) -> TemplateFunction {
        TemplateFunction(name, 0...Int.max) { arguments, budget throws(TemplateFailure) in
            let text = try arguments.printed()
            try budget.pay(bytes: 4 * text.utf8.count)
            return try budget.made(change(text))
        }
    }

    private static func joined(
        _ values: [TemplateValue], by separator: String
    ) throws(TemplateFailure) -> String {
        var text = TemplateText()
        for (index, value) in values.enumerated() {
            if index > 0 { try text.append(separator) }
            try text.append(value)
        }
        return text.text
    }
}
