import System

enum CommandLineTool {
    static let commands: [Command] = [
        .apps, .backup, .chats, .check, .decrypt, .desktop, .device, .engine, .export, .forget,
        .importing, .keys, .list, .mute, .owner, .pause, .receiverID, .register, .restore, .revoke,
        .rotate, .send, .serve, .show, .test, .unmute, .unpause, .version, .watch,
    ]

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
            try StandardOutput.write(command?.help ?? overview)
            return .success
        }
        let wanted = name == "--version" ? "version" : name
        guard let command = (commands + [.manual]).first(where: { $0.name == wanted }) else {
            throw CommandError.usage("unknown command \(name)", hint: "see bellwire --help")
        }
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            try StandardOutput.write(command.help)
            return .success
        }
        return try command.run(try Arguments(rest, for: command))
    }

    private static var overview: String {
        let width = (commands.map(\.name.count).max() ?? 0) + 2
        let rows = commands.map { command in
            let gap = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(gap)\(command.summary)"
        }
        let codes = ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)" }
        return """
            usage: bellwire COMMAND [OPTIONS]

            A push service for the Linux desktop.

            commands:
            \(rows.joined(separator: "\n"))

            Run bellwire COMMAND --help to read more about a command.
            exit codes: \(codes.joined(separator: ", "))

            """
    }
}
