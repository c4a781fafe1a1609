/// What a template does, in order. It is nested at most as deeply as the parser allows.
indirect enum TemplateNode: Sendable {
    case text(String)
    case print(TemplateTerm)
    /// A variable is declared or gets another value.
    case assign(Int, TemplateTerm)
    case branch(TemplateBranch)
    /// Ends the innermost `range`, or the present turn of it.
    case jump(endsRange: Bool)
}

/// `if`, `with` or `range` with its alternative.
struct TemplateBranch: Sendable {
    enum Kind: Sendable { case condition, with, range }

    let kind: Kind
    let term: TemplateTerm
    /// The variables that get the value, or the index and the element.
    let variables: [Int]
    let nodes: [TemplateNode]
    let otherwise: [TemplateNode]
}

/// A part of an action that has a value.
indirect enum TemplateTerm: Sendable {
    case value(TemplateValue)
    case dot
    case variable(Int)
    case path(TemplateTerm, [String])
    case call(TemplateFunction, [TemplateTerm])
    /// What is no function gets arguments, which fails only when it is reached.
    case failure
}

/// A template that was read.
struct GoTemplate: Sendable {
    let nodes: [TemplateNode]
    /// How many variables it has, with the root.
    let variables: Int

    init(_ text: String) throws(TemplateFailure) {
        var parser = TemplateParser(try TemplateLexer(text).parts)
        let block = try parser.block()
        guard block.end == nil else { throw .syntax }
        (nodes, variables) = (block.nodes, parser.slots)
    }
}

/// Reads the parts of a template. Blocks, brackets and pipelines are nested at most so deeply that
/// neither reading nor running them needs much of the stack.
struct TemplateParser {
    private static let depthLimit = 64
    private static let variableLimit = 256

    private var parts: ArraySlice<TemplatePart>
    /// The variables that are known here. Each has a place of its own.
    private var names = ["$"]
    private var places = [0]
    private(set) var slots = 1
    private var blocks = 0
    private var ranges = 0

    init(_ parts: [TemplatePart]) { self.parts = parts[...] }

    /// How a block ended: the words of an `else`, or none for `end`.
    typealias Block = (nodes: [TemplateNode], end: TemplateTokens?)

    /// Reads up to the end of the block, or of the template, which has no end.
    mutating func block() throws(TemplateFailure) -> Block {
        var nodes: [TemplateNode] = []
        while let part = parts.popFirst() {
            guard case .action(let lexemes) = part else {
                if case .text(let text) = part { nodes.append(.text(text)) }
                continue
            }
            var tokens = TemplateTokens(lexemes)
            switch tokens.keyword {
            case "end", "else": return (nodes, tokens)
            case "if": nodes.append(try branch(.condition, &tokens))
            case "with": nodes.append(try branch(.with, &tokens))
            case "range": nodes.append(try branch(.range, &tokens))
            case "break", "continue":
                guard ranges > 0, tokens.isEmpty else { throw .syntax }
                nodes.append(.jump(endsRange: tokens.keyword == "break"))
            case "call", "template", "define", "block": throw .forbidden
            default: nodes.append(try action(&tokens))
            }
        }
        return (nodes, nil)
    }

    /// Anything but a block.
    private mutating func action(
        _ tokens: inout TemplateTokens
    ) throws(TemplateFailure) -> TemplateNode {
        guard let (name, isNew) = tokens.assignment() else {
            return .print(try whole(&tokens))
        }
        if !isNew { return .assign(try place(of: name), try whole(&tokens)) }
        let term = try whole(&tokens)
        return .assign(try declare(name), term)
    }

    private mutating func branch(
        _ kind: TemplateBranch.Kind, _ tokens: inout TemplateTokens
    ) throws(TemplateFailure) -> TemplateNode {
        guard blocks < Self.depthLimit else { throw .syntax }
        blocks += 1
        let known = names.count
        defer {
            blocks -= 1
            forget(from: known)
        }
        var variables: [Int] = []
        let names = tokens.assignments(atMost: kind == .range ? 2 : 1)
        let term = try whole(&tokens)
        for (name, isNew) in names {
            variables.append(isNew ? try declare(name) : try place(of: name))
        }
        let inner = self.names.count
        ranges += kind == .range ? 1 : 0
        let block = try block()
        ranges -= kind == .range ? 1 : 0
        forget(from: inner)
        guard var end = block.end else { throw .syntax }
        var otherwise: [TemplateNode] = []
        if end.keyword == "else" {
            if kind != .range, end.next == .word(kind == .condition ? "if" : "with") {
                end.skip()
                otherwise = [try branch(kind, &end)]
            } else {
                guard end.isEmpty else { throw .syntax }
                let block = try self.block()
                guard let last = block.end, last.keyword == "end" else { throw .syntax }
                (otherwise, end) = (block.nodes, last)
            }
        }
        guard end.isEmpty else { throw .syntax }
        return .branch(
            TemplateBranch(
                kind: kind, term: term, variables: variables, nodes: block.nodes,
                otherwise: otherwise))
    }

    private mutating func declare(_ name: String) throws(TemplateFailure) -> Int {
        guard slots < Self.variableLimit else { throw .syntax }
        names.append(name)
        places.append(slots)
        slots += 1
        return slots - 1
    }

    private mutating func forget(from count: Int) {
        names.removeLast(names.count - count)
        places.removeLast(places.count - count)
    }

    private func place(of name: String) throws(TemplateFailure) -> Int {
        guard let index = names.lastIndex(of: name) else { throw .syntax }
        return places[index]
    }
}

extension TemplateParser {
    private typealias Deep = (term: TemplateTerm, depth: Int)

    /// A pipeline, behind which nothing stands.
    private func whole(
        _ tokens: inout TemplateTokens
    ) throws(TemplateFailure) -> TemplateTerm {
        let term = try pipeline(&tokens, depth: 0).term
        guard tokens.isEmpty else { throw .syntax }
        return term
    }

    /// What stands before a `|` is the last argument of what stands behind it.
    private func pipeline(
        _ tokens: inout TemplateTokens, depth: Int
    ) throws(TemplateFailure) -> Deep {
        guard depth < Self.depthLimit else { throw .syntax }
        var last = try command(&tokens, after: nil, depth: depth + 1)
        while tokens.take("|") {
            last = try command(&tokens, after: last, depth: depth + 1)
            guard last.depth < Self.depthLimit else { throw .syntax }
        }
        return last
    }

    private func command(
        _ tokens: inout TemplateTokens, after last: Deep?, depth: Int
    ) throws(TemplateFailure) -> Deep {
        var arguments: [TemplateTerm] = []
        var deepest = last?.depth ?? 0
        guard case .word(let word)? = tokens.next, let function = TemplateFunction.named[word]
        else {
            let first = try operand(&tokens, depth: depth)
            // A value is no function: what it would be called with is read all the same.
            while tokens.isAtOperand { arguments.append(try operand(&tokens, depth: depth).term) }
            switch first.term {
            case .value(.none): return (.failure, 0)
            case .value where last != nil: throw .syntax
            default: return last == nil && arguments.isEmpty ? first : (.failure, 0)
            }
        }
        tokens.skip()
        guard tokens.endsOperand else { throw .syntax }
        while tokens.isAtOperand {
            let argument = try operand(&tokens, depth: depth)
            arguments.append(argument.term)
            deepest = max(deepest, argument.depth)
        }
        if let last { arguments.append(last.term) }
        return (.call(function, arguments), deepest + 1)
    }

    private func operand(
        _ tokens: inout TemplateTokens, depth: Int
    ) throws(TemplateFailure) -> Deep {
        guard let token = tokens.next else { throw .syntax }
        tokens.skip()
        var operand: Deep
        switch token {
        case .dot:
            guard tokens.endsOperand else { throw .syntax }
            operand = (.dot, 0)
        case .field(let name): operand = (.path(.dot, [name] + tokens.fields()), 1)
        case .variable(let name): operand = (.variable(try place(of: name)), 0)
        case .text(let text): operand = (.value(.text(text)), 0)
        case .int(let number): operand = (.value(.int(number)), 0)
        case .float(let number): operand = (.value(.float(number)), 0)
        case .word("true"), .word("false"): operand = (.value(.bool(token == .word("true"))), 0)
        case .word("nil"): operand = (.value(.none), 0)
        case .word("call"): throw .forbidden
        case .word(let word):
            guard let function = TemplateFunction.named[word] else { throw .syntax }
            operand = (.call(function, []), 1)
        case .sign("("):
            operand = try pipeline(&tokens, depth: depth)
            guard tokens.take(")") else { throw .syntax }
        case .sign: throw .syntax
        }
        let fields = tokens.fields()
        if !fields.isEmpty { operand = (.path(operand.term, fields), operand.depth + 1) }
        guard tokens.endsOperand, operand.depth <= Self.depthLimit else {
            throw .syntax
        }
        return operand
    }
}
