import Base

/// A part of an action, between `{{` and `}}`.
enum TemplateToken: Equatable {
    case dot
    /// `.name`; several without white space between them are a path.
    case field(String)
    /// A variable with its dollar sign; the sign alone is the root.
    case variable(String)
    case word(String)
    case text(String)
    case int(Int64)
    case float(Double)
    /// One of `|`, `,`, `(`, `)`, `:=` and `=`.
    case sign(String)
}

/// A template as texts and actions.
enum TemplatePart {
    case text(String)
    case action([Lexeme])

    struct Lexeme {
        let token: TemplateToken
        /// White space, or nothing, stands before it.
        let isApart: Bool
    }
}

/// Cuts a template into texts and actions, and an action into its tokens.
struct TemplateLexer {
    /// Header fields and query do not carry more.
    private static let limit = 64 * 1024

    private var rest: ArraySlice<UInt8>
    private(set) var parts: [TemplatePart] = []

    init(_ template: String) throws(TemplateFailure) {
        guard template.utf8.count <= Self.limit else { throw .syntax }
        rest = Array(template.utf8)[...]
        var isTrimmed = false
        while let text = take(until: "{{") {
            let trimsBefore =
                rest.first == UInt8(ascii: "-") && rest.dropFirst().first.map(isWhite) == true
            if trimsBefore { rest = rest.dropFirst() }
            append(text, isTrimmed, trimsBefore)
            isTrimmed = try action()
        }
        append(rest, isTrimmed, false)
    }

    private mutating func append(_ text: ArraySlice<UInt8>, _ isTrimmed: Bool, _ trims: Bool) {
        var text = text
        if isTrimmed { text = text.drop(while: isWhite) }
        while trims, text.last.map(isWhite) == true { text = text.dropLast() }
        if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
    }

    /// Nil if the mark is not there.
    private mutating func take(until mark: StaticString) -> ArraySlice<UInt8>? {
        for index in rest.indices where rest[index] == mark.utf8Start.pointee {
            guard rest[index...].starts(with: mark) else { continue }
            defer { rest = rest[index...].dropFirst(mark.utf8CodeUnitCount) }
            return rest[..<index]
        }
        return nil
    }

    private mutating func take(_ mark: StaticString) -> Bool {
        guard rest.starts(with: mark) else { return false }
        rest = rest.dropFirst(mark.utf8CodeUnitCount)
        return true
    }

    private mutating func take(while holds: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: holds)
        rest = rest.dropFirst(taken.count)
        return String(decoding: taken, as: UTF8.self)
    }

    /// Returns whether the white space behind the action is left out.
    private mutating func action() throws(TemplateFailure) -> Bool {
        var lexemes: [TemplatePart.Lexeme] = []
        var isComment = false
        while true {
            let isApart = !take(while: isWhite).isEmpty || lexemes.isEmpty
            let trims = isApart && rest.starts(with: "-}}")
            if trims || rest.starts(with: "}}") {
                rest = rest.dropFirst(trims ? 3 : 2)
                guard isComment || !lexemes.isEmpty else { throw .syntax }
                if !isComment { parts.append(.action(lexemes)) }
                return trims
            }
            guard !isComment else { throw .syntax }
            if lexemes.isEmpty, take("/*") {
                guard take(until: "*/") != nil else { throw .syntax }
                isComment = true
            } else {
                lexemes.append(TemplatePart.Lexeme(token: try token(), isApart: isApart))
            }
        }
    }
}

extension TemplateLexer {
    private mutating func token() throws(TemplateFailure) -> TemplateToken {
        guard let first = rest.first else { throw .syntax }
        switch first {
        case UInt8(ascii: "\""): return .text(try quoted())
        case UInt8(ascii: "`"):
            rest = rest.dropFirst()
            guard let text = take(until: "`") else { throw .syntax }
            return .text(String(decoding: text, as: UTF8.self))
        case UInt8(ascii: "$"):
            rest = rest.dropFirst()
            return .variable("$" + take(while: isOfName))
        case UInt8(ascii: "."):
            guard rest.dropFirst().first?.isDigit != true else { return try number() }
            rest = rest.dropFirst()
            let name = take(while: isOfName)
            return name.isEmpty ? .dot : .field(name)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return try number()
        case _ where first.isDigit: return try number()
        case _ where isOfName(first): return .word(take(while: isOfName))
        default:
            for sign in [":=", "=", "|", ",", "(", ")"] as [StaticString] where take(sign) {
                return .sign("\(sign)")
            }
            throw .syntax
        }
    }

    private mutating func number() throws(TemplateFailure) -> TemplateToken {
        let word = take { isOfName($0) || "+-.".utf8.contains($0) }
        if let number = Int64(word) { return .int(number) }
        guard word.utf8.allSatisfy({ $0.isDigit || ".eE+-".utf8.contains($0) }),
            let number = Double(word), number.isFinite
        else { throw .syntax }
        return .float(number)
    }

    /// A text between quotes. Go's escapes that JSON does not have are refused.
    private mutating func quoted() throws(TemplateFailure) -> String {
        var end = rest.startIndex + 1
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < rest.endIndex, let text = JSONNode(json: Array(rest[...end]))?.text else {
            throw .syntax
        }
        rest = rest[end...].dropFirst()
        return text
    }
}

/// As Go trims around actions.
private func isWhite(_ byte: UInt8) -> Bool { byte.isBlank || byte == 0x0A || byte == 0x0D }

/// A letter, a digit or an underscore; whatever is not ASCII counts as a letter.
private func isOfName(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte.isWordCharacter && byte != UInt8(ascii: "-")
}

extension ArraySlice<UInt8> {
    fileprivate func starts(with mark: StaticString) -> Bool {
        starts(with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    }
}
