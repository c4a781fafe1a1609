import Base
import Crypto
import Outbound
import System

enum CommandLineTool {
    /// The commands as help lists them.
    static let groups: [(title: String, commands: [Command])] = [
        (
            "server",
            [
                .serve, .check, .test, .ui, .top, .device, .owner, .export, .forget, .keys,
                .backup, .restore, .migrate, .cluster,
            ]
        ),
        ("registrations", [.topic, .messages, .ask, .token, .forward, .register, .registration]),
        ("desktop", [.desktop, .apps, .import, .watch, .account]),
        ("tools", [.send, .decrypt, .receiverID, .engine, .version]),
    ]
    static let commands = groups.flatMap(\.commands).sorted { $0.name < $1.name }

    static func run(_ words: [String]) -> ExitCode {
        do {
            return try dispatch(words)
        } catch {
            let error = CommandError(error)
            error.report()
            return error.exitCode
        }
    }

    private static func dispatch(_ words: [String]) throws -> ExitCode {
        guard let name = words.first else {
            StandardError.write(overview)
            return .usage
        }
        let rest = Array(words.dropFirst())
        if ["help", "--help", "-h"].contains(name) {
            let command = rest.first.flatMap { name in commands.first { $0.name == name } }
            try StandardOutput.write(command?.help(of: rest.dropFirst().first) ?? overview)
            return .success
        }
        // The completions of shells ask this. What was typed may be incomplete.
        if name == "complete" {
            try StandardOutput.write(Offer(commands).text(rest))
            return .success
        }
        let wanted = name == "--version" ? "version" : name
        guard let command = (commands + [.manual]).first(where: { $0.name == wanted }) else {
            let guess = MeantCommand.hint(name, in: commands.map(\.name))
            throw CommandError.usage("unknown command \(name)", hint: guess + "see bellwire --help")
        }
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            try StandardOutput.write(command.help(of: rest.first { !$0.hasPrefix("-") }))
            return .success
        }
        let arguments = try Arguments(rest, for: command)
        try command.check(arguments)
        return try command.run(arguments)
    }

    private static var overview: String {
        var lines = [
            "usage: bellwire COMMAND [OPTIONS]", "", "A push service for the Linux desktop.",
        ]
        let width = commands.map(\.name.count).max() ?? 0
        for group in groups {
            let rows = group.commands.map { command in
                let gap = String(repeating: " ", count: width - command.name.count)
                return (term: command.name + gap, meaning: command.summary)
            }
            lines += ["", group.title + ":"] + HelpText.table(rows)
        }
        lines += ["", "Run bellwire COMMAND --help to read more about a command."]
        let codes = ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)" }
        lines += Wording.lines(
            codes.joined(separator: ", "), after: "exit codes: ", indent: 12)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Command {
    static let version = Command(
        name: "version",
        summary: "print the version of bellwire and of the libraries it uses",
        options: [.json],
        examples: [
            Example("bellwire version", help: "print the version of each part"),
            Example("bellwire version --json", help: "print them as JSON, for a script"),
        ]
    ) { arguments in
        let rows = [
            ("bellwire", ProgramVersion.text),
            ("openssl", OpenSSLLibrary.version),
            ("curl", CurlLibrary.version ?? "is not installed"),
        ]
        return try arguments.print(rows.map { "\($0.0) \($0.1)\n" }.joined()) { writer in
            for (name, value) in rows { writer.member(text: name, value) }
        }
    }
}
