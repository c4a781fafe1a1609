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

    let name: String
    let summary: String
    /// The arguments after the name, such as `KIND FILE`; one line for each form.
    var forms: [String] = [""]
    var details = ""
    var options: [Option] = []
    let run: @Sendable (Arguments) throws -> ExitCode

    var allOptions: [Option] { options + [Option("help", help: "show this text")] }

    var help: String {
        var lines = forms.enumerated().map { index, form in
            (index == 0 ? "usage: " : "       ") + "bellwire \(name)"
                + (options.isEmpty ? "" : " [OPTIONS]") + (form.isEmpty ? "" : " \(form)")
        }
        lines += ["", summary.prefix(1).uppercased() + summary.dropFirst() + "."]
        if !details.isEmpty { lines += ["", details] }
        let rows = allOptions.map { option in
            ("  --" + option.name + (option.value.map { " \($0)" } ?? ""), option.help)
        }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        lines += ["", "options:"]
        lines += rows.map { row in
            row.0 + String(repeating: " ", count: width - row.0.count) + row.1
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
