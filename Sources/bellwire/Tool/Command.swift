/// One command of the program.
struct Command: Sendable {
    struct Option: Sendable {
        let name: String
        /// Stands for the value in the help; nil for a switch.
        let value: String?
        let help: String

        init(_ name: String, _ value: String? = nil, help: String) {
            (self.name, self.value, self.help) = (name, value, help)
        }

        static let json = Option("json", help: "print JSON instead of text")
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
    var details = ""
    var options: [Option] = []
    var examples: [Example] = []
    let run: @Sendable (Arguments) throws -> ExitCode

    var allOptions: [Option] { options + [Option("help", help: "show this text")] }

    var help: String {
        var lines = forms.enumerated().flatMap { index, form in
            HelpText.wrapped(
                "bellwire \(name)" + (options.isEmpty ? "" : " [OPTIONS]") + " \(form)",
                after: index == 0 ? "usage: " : "       ", indent: 11)
        }
        lines += [""] + HelpText.wrapped("\(summary.prefix(1).uppercased())\(summary.dropFirst()).")
        if !details.isEmpty { lines += [""] + HelpText.paragraphs(details) }
        lines += ["", "options:"]
        lines += HelpText.table(
            allOptions.map { option in
                ("--" + option.name + (option.value.map { " \($0)" } ?? ""), option.help)
            })
        if !examples.isEmpty { lines += ["", "examples:"] }
        for example in examples {
            lines.append("  " + example.line)
            lines += HelpText.wrapped(example.help, after: "      ", indent: 6)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
