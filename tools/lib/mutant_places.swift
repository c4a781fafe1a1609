import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A place of a file that may be mutated, and what stands there instead. `§` is the condition under
/// which the mutant is on.
struct Place: Encodable {
    let file: String
    let line: Int
    let kind: String
    let start: Int
    let end: Int
    let was: String
    let becomes: String
    let text: String
}

/// Finds the places of one file.
final class PlaceFinder: SyntaxVisitor {
    static let swaps = [
        "<": ("boundary", "<="), "<=": ("boundary", "<"), ">": ("boundary", ">="),
        ">=": ("boundary", ">"), "&&": ("logic", "||"), "||": ("logic", "&&"),
        "+": ("arithmetic", "-"), "-": ("arithmetic", "+"), "&+": ("arithmetic", "&-"),
        "&-": ("arithmetic", "&+"),
    ]
    static let opposites = [
        "first": "last", "min": "max", "removeFirst": "removeLast",
        "popFirst": "popLast", "prefix": "suffix", "dropFirst": "dropLast",
    ]
    static let names = opposites.merging(opposites.map { ($1, $0) }) { first, _ in first }
    /// What these calls say must never happen, or only makes the program faster.
    static let untested: Set = [
        "precondition", "preconditionFailure", "assert", "assertionFailure", "reserveCapacity",
    ]

    let file: String
    let source: [UInt8]
    let lines: SourceLocationConverter
    private(set) var places: [Place] = []

    init(file: String, tree: SourceFileSyntax) {
        self.file = file
        source = Array(tree.description.utf8)
        lines = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    func text(_ node: some SyntaxProtocol) -> String { node.trimmedDescription }

    func range(_ node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia
            .utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    func add(
        _ kind: String, _ node: some SyntaxProtocol, was: String, becomes: String, _ text: String
    ) {
        let range = range(node)
        let position = node.positionAfterSkippingLeadingTrivia
        places.append(
            Place(
                file: file, line: lines.location(for: position).line, kind: kind,
                start: range.lowerBound, end: range.upperBound, was: was, becomes: becomes,
                text: text))
    }

    /// The node's text with another token in the place of one of its own.
    func text(_ node: some SyntaxProtocol, _ token: some SyntaxProtocol, as other: String) -> String
    {
        let (whole, part) = (range(node), range(token))
        let bytes =
            Array(source[whole.lowerBound..<part.lowerBound]) + Array(other.utf8)
            + Array(source[part.upperBound..<whole.upperBound])
        return String(decoding: bytes, as: UTF8.self)
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let infix = node.operator.as(BinaryOperatorExprSyntax.self) else {
            return .visitChildren
        }
        let sign = infix.operator.text
        let whole = text(node)
        if sign == "==" || sign == "!=" {
            add(
                "equality", node, was: whole,
                becomes: text(node, infix, as: sign == "==" ? "!=" : "=="), "((\(whole)) != §)")
        } else if let (kind, other) = Self.swaps[sign], !Self.joins(node) {
            let changed = text(node, infix, as: other)
            add(kind, node, was: whole, becomes: changed, "(§ ? \(changed) : \(whole))")
        } else if sign == "??" {
            let right = text(node.rightOperand)
            add("default", node, was: whole, becomes: right, "(§ ? \(right) : \(whole))")
            add(
                "default", node.rightOperand, was: whole,
                becomes: text(node, node.rightOperand, as: "(never)"),
                "(§ ? Mutant.never() : \(right))")
        } else if ["+=", "-="].contains(sign), node.parent?.is(CodeBlockItemSyntax.self) == true {
            let changed = text(node, infix, as: sign == "+=" ? "-=" : "+=")
            add(
                "arithmetic", node, was: whole, becomes: changed,
                "if § { \(changed) } else { \(whole) }")
        }
        return .visitChildren
    }

    /// Whether texts or lists are put together: they have no difference.
    static func joins(_ node: InfixOperatorExprSyntax) -> Bool {
        [node.leftOperand, node.rightOperand].contains {
            $0.is(StringLiteralExprSyntax.self) || $0.is(ArrayExprSyntax.self)
        }
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" {
            add(
                "not", node, was: text(node), becomes: text(node.expression), "(§ != \(text(node)))"
            )
        }
        return .visitChildren
    }

    /// A condition is negated, unless another operator does the same to it.
    func negate(_ condition: ExprSyntax) {
        if let infix = condition.as(InfixOperatorExprSyntax.self),
            ["==", "!="].contains(text(infix.operator))
        {
            return
        }
        if condition.as(PrefixOperatorExprSyntax.self)?.operator.text == "!" { return }
        if condition.is(BooleanLiteralExprSyntax.self) { return }
        let whole = text(condition)
        add("condition", condition, was: whole, becomes: "!(\(whole))", "((\(whole)) != §)")
    }

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negate(condition) }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
        // A table: the compiler would think about it for minutes.
        node.elements.count > 8 ? .skipChildren : .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let word = node.literal.text.filter { $0 != "_" }
        let value =
            word.hasPrefix("0x")
            ? Int(word.dropFirst(2), radix: 16)
            : word.hasPrefix("0b") ? Int(word.dropFirst(2), radix: 2) : Int(word)
        guard let value, value < Int.max else { return .visitChildren }
        for changed in [value + 1, value - 1] {
            add(
                "number", node, was: text(node), becomes: "\(changed)",
                "(§ ? \(changed) : \(text(node)))")
        }
        return .visitChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let value = text(node)
        add(
            "truth", node, was: value, becomes: value == "true" ? "false" : "true",
            "(§ != \(value))")
        return .visitChildren
    }

    override func visit(_ node: ContinueStmtSyntax) -> SyntaxVisitorContinueKind {
        jump(node, to: "break")
    }

    override func visit(_ node: BreakStmtSyntax) -> SyntaxVisitorContinueKind {
        var outer = node.parent
        while let around = outer, !around.is(SwitchExprSyntax.self) {
            if around.is(ForStmtSyntax.self) || around.is(WhileStmtSyntax.self) { break }
            outer = around.parent
        }
        let endsSwitch = node.label == nil && outer?.is(SwitchExprSyntax.self) != false
        return endsSwitch ? .visitChildren : jump(node, to: "continue")
    }

    func jump(_ node: some SyntaxProtocol, to word: String) -> SyntaxVisitorContinueKind {
        let whole = text(node)
        let label = whole.split(separator: " ").dropFirst().map { " " + $0 }.joined()
        add(
            "jump", node, was: whole, becomes: word + label,
            "if § { \(word)\(label) } else { \(whole) }")
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.declName.baseName.text
        guard node.base != nil, ["first", "last"].contains(name),
            node.parent?.is(FunctionCallExprSyntax.self) == false, let other = Self.names[name]
        else { return .visitChildren }
        swap(node, node.declName.baseName, other)
        return .visitChildren
    }

    func swap(_ node: some SyntaxProtocol, _ name: TokenSyntax, _ other: String) {
        let (whole, changed) = (text(node), text(node, name, as: other))
        add("end", node, was: whole, becomes: changed, "(§ ? \(changed) : \(whole))")
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let name = Self.name(of: node) else { return .visitChildren }
        if Self.untested.contains(name.text) { return .skipChildren }
        if let other = Self.names[name.text] { swap(node, name, other) }
        return .visitChildren
    }

    static func name(of call: FunctionCallExprSyntax) -> TokenSyntax? {
        call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName
            ?? call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard let call = Self.call(in: node), !Self.mayBeValue(node),
            let name = Self.name(of: call), name.text != "init", !Self.untested.contains(name.text)
        else { return .visitChildren }
        let whole = text(node)
        add("call", node, was: whole, becomes: "nothing", "if !§ { \(whole) }")
        return .visitChildren
    }

    static func call(in item: CodeBlockItemSyntax) -> FunctionCallExprSyntax? {
        guard case .expr(let expression) = item.item else { return nil }
        let inner = expression.as(TryExprSyntax.self)?.expression ?? expression
        return inner.as(FunctionCallExprSyntax.self)
    }

    /// Whether the statement may be the value of its closure, function or property.
    static func mayBeValue(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
            let owner = list.parent
        else { return false }
        if owner.is(ClosureExprSyntax.self) || owner.is(AccessorBlockSyntax.self) { return true }
        guard let function = owner.parent?.as(FunctionDeclSyntax.self) else { return false }
        return function.signature.returnClause != nil
    }
}

let encoder = JSONEncoder()
encoder.outputFormatting = .withoutEscapingSlashes
for file in CommandLine.arguments.dropFirst() {
    let tree = Parser.parse(source: try String(contentsOfFile: file, encoding: .utf8))
    let folded = OperatorTable.standardOperators.foldAll(tree) { _ in }
    let finder = PlaceFinder(file: file, tree: folded.cast(SourceFileSyntax.self))
    finder.walk(folded)
    for place in finder.places {
        print(String(decoding: try encoder.encode(place), as: UTF8.self))
    }
}
