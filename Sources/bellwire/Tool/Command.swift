import Base

/// One command of the program.
struct Command: Sendable {
    struct Option: Sendable {
        let name: String
        /// Stands for the value in the help; nil for a switch.
        let value: String?
        let help: String
        /// What a switch may be followed by, as in `--switch=word`.
        let words: [String]
        /// The verbs that take it; none if all do.
        let verbs: [String]

        init(
            _ name: String, _ value: String? = nil, of verbs: String..., words: [String] = [],
            help: String
        ) {
            (self.name, self.value, self.verbs) = (name, value, verbs)
            (self.words, self.help) = (words, help)
        }

        static let json = Option("json", help: "print JSON instead of text")

        func isTaken(by verb: Verb?) -> Bool {
            verbs.isEmpty || verbs.contains { $0 == verb?.name }
        }
    }

    /// A line to type, and what it does.
    struct Example: Sendable {
        let line: String
        let help: String

        init(_ line: String, help: String) {
            (self.line, self.help) = (line, help)
        }
    }

    let name: String
    let summary: String
    /// The arguments after the name, such as `KIND FILE`; one line for each form.
    var forms: [String] = [""]
    /// How many arguments a form with options has at most.
    var most = 0
    /// What can be done with the thing that the command is named after; none if it does one thing.
    var verbs: [Verb] = []
    var details = ""
    var options: [Option] = []
    var examples: [Example] = []
    let run: @Sendable (Arguments) throws -> ExitCode

    var allOptions: [Option] { options + [Option("help", help: "show this text")] }

    /// Of one verb only, if `word` is one.
    func help(of word: String? = nil) -> String {
        let verb = verbs.first { $0.name == word }
        let forms = verb.map { [$0.form] } ?? self.forms
        let options = allOptions.filter { verb == nil || $0.isTaken(by: verb) }
        let examples = self.examples.filter { example in
            verb.map { example.line.hasPrefix("bellwire \(name) \($0.name)") } ?? true
        }
        var lines = forms.enumerated().flatMap { index, form in
            Wording.lines(
                "bellwire \(name)" + (self.options.isEmpty ? "" : " [OPTIONS]") + " \(form)",
                after: index == 0 ? "usage: " : "       ", indent: 11)
        }
        lines += [""] + Wording.lines(Wording.sentence(summary))
        if !details.isEmpty { lines += [""] + HelpText.paragraphs(details) }
        lines += ["", "options:"]
        lines += HelpText.table(
            options.map { option in
                ("--" + option.name + (option.value.map { " \($0)" } ?? ""), option.help)
            })
        if !examples.isEmpty { lines += ["", "examples:"] }
        for example in examples {
            lines.append("  " + example.line)
            lines += Wording.lines(example.help, after: "      ", indent: 6)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The words after the command's name: options and positional arguments.
struct Arguments {
    /// Without the verb, if the command has verbs.
    private(set) var positional: [String]
    private let values: [String: [String]]

    /// Options are `--name value`, `--name=value` and `--switch`. Everything after `--`, a lone `-`
    /// and a negative number are positional.
    init(_ words: [String], for command: Command) throws {
        var positional: [String] = []
        var values: [String: [String]] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                break
            }
            guard word.hasPrefix("-"), word != "-", Int(word) == nil else {
                positional.append(word)
                continue
            }
            let (option, value) = try Self.option(word, command)
            if option.value == nil {
                guard value.map(option.words.contains) ?? true else {
                    let words = option.words.isEmpty ? "" : " but " + Wording.list(option.words)
                    throw Self.error("--\(option.name) takes no value\(words)", command)
                }
                values[option.name, default: []].append(value ?? "")
            } else if let value = value ?? rest.popFirst() {
                values[option.name, default: []].append(value)
            } else {
                throw Self.error("--\(option.name) needs a value", command)
            }
        }
        self.positional = positional
        self.values = values
    }

    /// The verb, which is the first positional word.
    mutating func takeVerb() -> String? {
        positional.isEmpty ? nil : positional.removeFirst()
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value wins, so you can override a wrapper's default.
    subscript(_ name: String) -> String? { values[name]?.last }

    /// All values in the order given; nil if there is none.
    func all(_ name: String) -> [String]? { values[name] }

    private static func option(
        _ word: String, _ command: Command
    ) throws -> (Command.Option, value: String?) {
        let name = word.drop { $0 == "-" }
        let equals = name.firstIndex(of: "=")
        let known = command.options.first { $0.name == name[..<(equals ?? name.endIndex)] }
        guard word.hasPrefix("--"), let known else {
            let nearest = NearestWord.to(
                name[..<(equals ?? name.endIndex)], in: command.allOptions.map(\.name))
            throw error(
                "unknown option \(word.prefix { $0 != "=" })", command,
                nearest.map { "did you mean --\($0)? " } ?? "")
        }
        return (known, equals.map { String(name[name.index(after: $0)...]) })
    }

    private static func error(
        _ message: String, _ command: Command, _ guess: String = ""
    ) -> CommandError {
        .usage(message, hint: "\(guess)see bellwire \(command.name) --help")
    }
}

/// Help in lines that fit a terminal.
enum HelpText {
    /// Longer terms have a line of their own.
    private static let termWidth = 26

    /// A paragraph, or lines that are printed as they are.
    struct Block {
        let lines: [Substring]
        /// Indented lines are neither joined nor broken.
        let isLiteral: Bool
        /// Whether an empty line comes before it.
        let hasGap: Bool

        var words: String { lines.joined(separator: " ") }
    }

    static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var lines: [Substring] = []
        var (isLiteral, hasGap) = (false, false)
        func end() {
            guard !lines.isEmpty else { return }
            blocks.append(Block(lines: lines, isLiteral: isLiteral, hasGap: hasGap))
            (lines, hasGap) = ([], false)
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                end()
                hasGap = !blocks.isEmpty
                continue
            }
            if line.hasPrefix("  ") != isLiteral { end() }
            isLiteral = line.hasPrefix("  ")
            lines.append(line)
        }
        end()
        return blocks
    }

    static func paragraphs(_ text: String) -> [String] {
        blocks(text).flatMap { block in
            (block.hasGap ? [""] : [])
                + (block.isLiteral ? block.lines.map { String($0) } : Wording.lines(block.words))
        }
    }

    /// Terms in a column, and next to each what it means.
    static func table(_ rows: [(term: String, meaning: String)]) -> [String] {
        let longest = rows.map(\.term.count).filter { $0 <= termWidth }.max() ?? 0
        let indent = longest + 4
        return rows.flatMap { term, meaning in
            let term = "  " + term
            let gap = indent - term.count
            guard gap >= 2 else {
                let start = String(repeating: " ", count: indent)
                return [term] + Wording.lines(meaning, after: start, indent: indent)
            }
            let start = term + String(repeating: " ", count: gap)
            return Wording.lines(meaning, after: start, indent: indent)
        }
    }
}
