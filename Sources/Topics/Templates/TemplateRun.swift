/// What the templates of a request may still do.
///
/// Every step costs, and so does every byte that a function reads or makes. A template that wants
/// more than it may have fails, so the longest run is known before.
struct TemplateBudget {
    /// Enough for every element of the largest body, and done within the 100 ms that a run has with
    /// ntfy.
    private static let mostSteps = 500_000
    private static let bytesPerStep = 32

    private var steps = 0

    mutating func payStep() throws(TemplateFailure) {
        steps += 1
        guard steps <= Self.mostSteps else { throw .execution }
    }

    /// For what takes longer the more bytes there are.
    mutating func pay(bytes: Int) throws(TemplateFailure) {
        steps += bytes / Self.bytesPerStep
        try payStep()
    }
}

/// One run of a template over one value.
struct TemplateRun {
    private var budget: TemplateBudget
    private var variables: [TemplateValue]
    private var output = TemplateText()

    private init(
        _ template: GoTemplate, _ value: TemplateValue, _ budget: TemplateBudget
    ) {
        self.budget = budget
        variables = Array(repeating: .none, count: template.variables)
        variables[0] = value
    }

    /// The text that the template makes of a value.
    static func text(
        of template: GoTemplate, over value: TemplateValue, _ budget: inout TemplateBudget
    ) throws(TemplateFailure) -> String {
        var run = TemplateRun(template, value.taken, budget)
        _ = try run.run(template.nodes, value.taken)
        budget = run.budget
        return run.output.text
    }

    /// What ends the turns of a `range` early.
    private enum Jump { case none, nextTurn, end }

    private mutating func run(
        _ nodes: [TemplateNode], _ dot: TemplateValue
    ) throws(TemplateFailure) -> Jump {
        for node in nodes {
            try budget.payStep()
            switch node {
            case .text(let text): try output.append(text)
            case .print(let term):
                let value = try value(of: term, dot).taken
                if case .none = value {
                    try output.append("<no value>")
                } else {
                    try output.append(value)
                }
            case .assign(let place, let term): variables[place] = try value(of: term, dot).taken
            case .jump(let endsRange): return endsRange ? .end : .nextTurn
            case .branch(let branch):
                let jump = try run(branch, dot)
                if jump != .none { return jump }
            }
        }
        return .none
    }

    private mutating func run(
        _ branch: TemplateBranch, _ dot: TemplateValue
    ) throws(TemplateFailure) -> Jump {
        let value = try value(of: branch.term, dot).taken
        if branch.kind == .range { return try range(branch, over: value, dot) }
        if let place = branch.variables.first { variables[place] = value }
        guard value.isTrue else { return try run(branch.otherwise, dot) }
        return try run(branch.nodes, branch.kind == .with ? value : dot)
    }

    private mutating func range(
        _ branch: TemplateBranch, over value: TemplateValue, _ dot: TemplateValue
    ) throws(TemplateFailure) -> Jump {
        var turns = 0
        switch value {
        case .none, .null: break
        case .list(let list):
            turns = list.count
            for (index, element) in list.enumerated() {
                if try turn(branch, .int(Int64(index)), element) == .end { break }
            }
        case .map(let map):
            turns = map.members.count
            for (name, element) in map.members {
                if try turn(branch, .text(name), element) == .end { break }
            }
        case .int(let count):
            turns = count > 0 ? 1 : 0
            var index: Int64 = 0
            while index < count, try turn(branch, .int(index), .int(index)) != .end { index += 1 }
        case .bool, .float, .text: throw .execution
        }
        return turns == 0 ? try run(branch.otherwise, dot) : .none
    }

    private mutating func turn(
        _ branch: TemplateBranch, _ key: TemplateValue, _ element: TemplateValue
    ) throws(TemplateFailure) -> Jump {
        try budget.payStep()
        if let last = branch.variables.last { variables[last] = element }
        if branch.variables.count > 1 { variables[branch.variables[0]] = key }
        return try run(branch.nodes, element)
    }
}

extension TemplateRun {
    private mutating func value(
        of term: TemplateTerm, _ dot: TemplateValue
    ) throws(TemplateFailure) -> TemplateValue {
        try budget.payStep()
        switch term {
        case .value(let value): return value
        case .dot: return dot
        case .variable(let place): return variables[place]
        case .path(let start, let names):
            var found = try value(of: start, dot)
            switch start {
            case .dot, .variable: break
            // A bracket takes a value out of what holds it.
            default: found = found.taken
            }
            for name in names { found = try member(name, of: found) }
            return found
        case .call(let function, let arguments): return try call(function, arguments, dot)
        case .failure: throw .execution
        }
    }

    /// A missing member has no members either, and that is no failure; a null's are.
    private mutating func member(
        _ name: String, of value: TemplateValue
    ) throws(TemplateFailure) -> TemplateValue {
        switch value {
        case .none: return .none
        case .map(let map):
            try budget.pay(bytes: name.utf8.count * map.depth)
            return map[name] ?? .none
        default: throw .execution
        }
    }

    private mutating func call(
        _ function: TemplateFunction, _ terms: [TemplateTerm], _ dot: TemplateValue
    ) throws(TemplateFailure) -> TemplateValue {
        guard function.counts.contains(terms.count) else { throw .execution }
        if let decisive = function.decisive {
            return try decide(terms, dot) { $0 == decisive }
        }
        var values: [TemplateValue] = []
        for term in terms { values.append(try value(of: term, dot).taken) }
        return try function.body(TemplateArguments(values: values), &budget)
    }

    /// `and` and `or` return the first argument that decides, and look at no other.
    private mutating func decide(
        _ terms: [TemplateTerm], _ dot: TemplateValue, _ isDecisive: (Bool) -> Bool
    ) throws(TemplateFailure) -> TemplateValue {
        var last = TemplateValue.none
        for term in terms {
            last = try value(of: term, dot).taken
            if isDecisive(last.isTrue) { break }
        }
        return last
    }
}
