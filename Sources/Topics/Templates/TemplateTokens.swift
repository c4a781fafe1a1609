/// The tokens of one action.
struct TemplateTokens {
    private var rest: ArraySlice<TemplatePart.Lexeme>
    /// The word that it begins with, if that one is no function.
    let keyword: String

    private static let keywords: Set = [
        "if", "else", "end", "range", "with", "break", "continue", "call", "template", "define",
        "block",
    ]

    init(_ lexemes: [TemplatePart.Lexeme]) {
        rest = lexemes[...]
        if case .word(let word)? = rest.first?.token, Self.keywords.contains(word) {
            keyword = word
            rest = rest.dropFirst()
        } else {
            keyword = ""
        }
    }

    var isEmpty: Bool { rest.isEmpty }
    var next: TemplateToken? { rest.first?.token }

    mutating func skip() { rest = rest.dropFirst() }

    mutating func take(_ sign: String) -> Bool {
        guard next == .sign(sign) else { return false }
        skip()
        return true
    }

    /// `$name :=` or `$name =`, if the action begins so.
    mutating func assignment() -> (name: String, isNew: Bool)? {
        guard rest.count > 1, case .variable(let name)? = next else { return nil }
        let sign = rest[rest.startIndex + 1].token
        guard sign == .sign(":=") || sign == .sign("="), name.utf8.count > 1 || sign == .sign("=")
        else { return nil }
        rest = rest.dropFirst(2)
        return (name, sign == .sign(":="))
    }

    /// The same with two names for `range`.
    mutating func assignments(atMost count: Int) -> [(name: String, isNew: Bool)] {
        var behind = self
        if count > 1, case .variable(let first)? = next {
            behind.skip()
            if behind.take(","), let second = behind.assignment() {
                self = behind
                return [(first, second.isNew), second]
            }
        }
        return assignment().map { [$0] } ?? []
    }

    /// The fields that follow without white space.
    mutating func fields() -> [String] {
        var names: [String] = []
        while let lexeme = rest.first, !lexeme.isApart, case .field(let name) = lexeme.token {
            names.append(name)
            rest = rest.dropFirst()
        }
        return names
    }

    /// Another argument follows.
    var isAtOperand: Bool {
        switch next {
        case nil, .sign("|"), .sign(")"), .sign(","), .sign("="), .sign(":="): false
        default: true
        }
    }

    /// An operand may end here: arguments have white space between them.
    var endsOperand: Bool {
        guard let lexeme = rest.first else { return true }
        return lexeme.isApart || lexeme.token == .sign("|") || lexeme.token == .sign(")")
    }
}
