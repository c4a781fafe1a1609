import Configuration
import System

extension Command {
    /// For packages; `bellwire help` does not list it. What it prints comes from the tables that
    /// help is printed from, so the two cannot differ.
    static let manual = Command(
        name: "manual",
        summary: "print a manual page, or the completions of a shell",
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
        guard arguments.positional.count < 2 else {
            throw CommandError.usage("manual takes one name", hint: "see bellwire manual --help")
        }
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

/// The manual pages and completions, by the names of their files.
struct Manual {
    private static let overview = "bellwire.1"
    private static let configuration = "bellwire.conf.5"

    let date: String
    private let commands = CommandLineTool.commands

    var names: [String] {
        [Self.overview] + commands.map { "bellwire-\($0.name).1" }
            + [Self.configuration, "bellwire.bash", "_bellwire", "bellwire.fish"]
    }

    func text(_ name: String) -> String? {
        switch name {
        case Self.overview: ManualPage.overview(CommandLineTool.groups, date)
        case Self.configuration: ManualPage.configuration(ConfigurationKey.all, date)
        case "bellwire.bash": BashCompletion(commands).text
        case "_bellwire": ZshCompletion(commands).text
        case "bellwire.fish": FishCompletion(commands).text
        default:
            commands.first { name == "bellwire-\($0.name).1" }.map { ManualPage.command($0, date) }
        }
    }
}
