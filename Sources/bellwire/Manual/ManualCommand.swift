import Configuration
import System

extension Command {
    /// For packages; `bellwire help` does not list it. What it prints comes from the tables that
    /// help is printed from, so the two cannot differ.
    static let manual = Command(
        name: "manual",
        summary: "print a manual page, the commented configuration or completions of a shell",
        forms: ["[NAME]"],
        details: "Without a name it lists what there is.",
        options: [Option("date", "DATE", help: "the date on the page (YYYY-MM-DD)")],
        examples: [
            Example(
                "bellwire manual bellwire.1 | man -l -",
                help: "read the manual page about all commands"),
            Example(
                "bellwire manual bellwire.bash > bellwire-completion",
                help: "write the completions for bash into a file"),
        ]
    ) { arguments in
        let manual = Manual(date: arguments["date"] ?? "")
        guard let name = arguments.positional.first else {
            try StandardOutput.write(manual.names.map { $0 + "\n" }.joined())
            return .success
        }
        guard let text = manual.text(name) else {
            throw CommandError.usage(
                "there is no \(name)", hint: "bellwire manual lists what there is")
        }
        try StandardOutput.write(text)
        return .success
    }
}

/// The manual pages, the commented configuration and completions, by the names of their files.
struct Manual {
    private static let overview = "bellwire.1"
    private static let configuration = "bellwire.conf.5"
    private static let commented = "bellwire.conf"

    let date: String
    private let commands = CommandLineTool.commands

    var names: [String] {
        [Self.overview] + commands.map { "bellwire-\($0.name).1" }
            + [Self.configuration, Self.commented, "bellwire.bash", "_bellwire", "bellwire.fish"]
    }

    func text(_ name: String) -> String? {
        switch name {
        case Self.overview: ManualPage.overview(CommandLineTool.groups, date)
        case Self.configuration: ManualPage.configuration(ConfigurationKey.all, date)
        case Self.commented: CommentedConfiguration.text
        case "bellwire.bash": CompletionScript.bash
        case "_bellwire": CompletionScript.zsh
        case "bellwire.fish": CompletionScript.fish
        default:
            commands.first { name == "bellwire-\($0.name).1" }.map { ManualPage.command($0, date) }
        }
    }
}

/// A page in man(7).
struct ManualPage {
    private(set) var text: String
    /// A section begins with a paragraph by itself.
    private var hasParagraph = false

    init(_ name: String, section: Int, date: String, summary: String) {
        text =
            ".TH \(Self.literal(name.uppercased())) \(section) \"\(date)\""
            + " \"bellwire \(ProgramVersion.text)\" \"Bellwire\"\n"
            + ".SH NAME\n\(Self.literal(name)) \\- \(Self.literal(summary))\n"
    }

    mutating func section(_ title: String) {
        text += ".SH \(title)\n"
        hasParagraph = false
    }

    mutating func subsection(_ title: String) {
        text += ".SS \(title)\n"
        hasParagraph = false
    }

    mutating func paragraph(_ words: String) { paragraph(raw: Self.line(words)) }

    /// With requests of man(7) in it.
    mutating func paragraph(raw: String) {
        text += hasParagraph ? ".PP\n\(raw)\n" : "\(raw)\n"
        hasParagraph = true
    }

    /// A term and what it means.
    mutating func item(_ term: String, _ meaning: String) {
        text += ".TP\n\(term)\n\(Self.line(meaning))\n"
    }

    /// More about the item before.
    mutating func furthermore(_ words: String) { text += ".IP\n\(Self.line(words))\n" }

    /// Paragraphs as help has them: indented lines are kept as they are.
    mutating func paragraphs(_ help: String) {
        for block in HelpText.blocks(help) {
            if block.isLiteral {
                literally(block.lines.map { $0.dropFirst(2) })
            } else {
                paragraph(block.words)
            }
        }
    }

    private mutating func literally(_ lines: [Substring]) {
        text += ".IP\n.nf\n"
        for line in lines { text += Self.line(line) + "\n" }
        text += ".fi\n"
    }

    static func bold(_ words: String) -> String { "\\fB\(literal(words))\\fR" }

    static func italic(_ words: String) -> String { "\\fI\(literal(words))\\fR" }

    /// A whole line: a dot or a quote at its start would be a request.
    private static func line(_ words: some StringProtocol) -> String {
        let line = literal(words)
        return line.hasPrefix(".") ? "\\&" + line : line
    }

    /// Every character as it is, so that what a reader copies from the page can be pasted.
    static func literal(_ words: some StringProtocol) -> String {
        var text = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "'": text += "\\(aq"
            case "`": text += "\\(ga"
            case "^": text += "\\(ha"
            case "~": text += "\\(ti"
            case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
            default: text += "\\[u\(hexadecimal(scalar.value))]"
            }
        }
        return text
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
