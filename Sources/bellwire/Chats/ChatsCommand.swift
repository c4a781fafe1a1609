import Base
import System

extension Command {
    static let chats = Command(
        name: "chats",
        summary: "list the chats that notifications came from, and which are muted",
        forms: ["[APP/ACCOUNT]"],
        details: """
            Speaks to the running server by its control socket. Without an account it shows those of
            all. The number in front names a chat in mute and unmute; so does the beginning of its
            title. An account that is paused is marked.
            """,
        options: serverOptions
    ) { arguments in
        guard arguments.positional.count <= 1 else {
            throw CommandError.usage(
                "chats takes one account at most", hint: "bellwire chats --help")
        }
        let control = try ControlConnection(arguments)
        let reports = try EngineAccountName.all(control, named: arguments.positional.first)
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
