import Base
import System

extension Command {
    static let chats = Command(
        name: "chats",
        summary: "list the chats that sent notifications, and which are muted",
        forms: ["[NAME]"],
        details: """
            Asks the running server through its control socket. Without NAME it lists the chats of
            all accounts; NAME is what bellwire hear was given, or APP/ACCOUNT. To name a chat in
            mute and unmute, use its number or the beginning of its title. Paused accounts are
            marked.
            """,
        options: serverOptions,
        examples: [
            Example("bellwire chats", help: "list the chats of all accounts"),
            Example("bellwire chats telegram/me", help: "list the chats of one account"),
        ]
    ) { arguments in
        guard arguments.positional.count <= 1 else {
            throw CommandError.usage(
                "chats takes at most one account", hint: "see bellwire chats --help")
        }
        let control = try ControlConnection(arguments)
        let reports = try AccountName.all(control, named: arguments.positional.first)
            .map { try ChatReport($0, control) }
        guard arguments.has("json") else {
            try StandardOutput.write(reports.map(\.text).joined(separator: "\n"))
            return .success
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("accounts")
            writer.array { writer in for report in reports { report.append(to: &writer) } }
        }
        try StandardOutput.write(writer.text + "\n")
        return .success
    }
}
