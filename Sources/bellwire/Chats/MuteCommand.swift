import Base
import System

extension Command {
    private static let accountOption = Option(
        "account", "APP/ACCOUNT", help: "look for the chat in this account only")

    static let mute = Command(
        name: "mute",
        summary: "show no notifications of a chat, for a time or for good",
        forms: ["CHAT [--for TIME]"],
        details: """
            CHAT is a number that bellwire chats shows, or the beginning of a title that no other chat
            has. What comes meanwhile does not come up, then or later; what is on the screen stays.
            """,
        options: [
            Option("for", "TIME", help: "90s, 30m, 2h, 1d or 1w; without it for good"),
            accountOption,
        ] + serverOptions
    ) { arguments in
        let seconds = try arguments["for"].map(TimeSpan.seconds)
        return try change(arguments) { _ in seconds ?? Int(Int32.max) }
    }

    static let unmute = Command(
        name: "unmute",
        summary: "show the notifications of a muted chat again",
        forms: ["CHAT"],
        details: """
            CHAT is a number that bellwire chats shows, or the beginning of a title that no other chat
            has.
            """,
        options: [accountOption] + serverOptions
    ) { arguments in
        // Where its kind is muted, the chat is an exception from now on.
        try change(arguments) { $0.report.mutesKind(of: $0.chat) ? 0 : nil }
    }

    /// `time` says for how many seconds; nil is as all chats of its kind.
    private static func change(
        _ arguments: Arguments, _ time: (ChatChoice) -> Int?
    ) throws -> ExitCode {
        guard let name = arguments.positional.first, arguments.positional.count == 1 else {
            throw CommandError.usage(
                "say which chat, in quotation marks if its title has blanks",
                hint: "bellwire chats shows all of them")
        }
        let control = try ControlConnection(arguments)
        let reports = try EngineAccountName.all(control, named: arguments["account"])
            .map { try ChatReport($0, control) }
        let choice = try ChatChoice(name, in: reports)
        let seconds = time(choice)
        _ = try EngineDialogue(control: control, account: choice.report.account)
            .ask("bellwire.muteChat") { writer in
                writer.member("chat_id", choice.chat.id)
                if let seconds { writer.member("mute_for", seconds) }
            }
        try StandardOutput.write(
            arguments.has("json") ? json(choice, seconds ?? 0) : text(choice, seconds ?? 0))
        return .success
    }

    private static func text(_ choice: ChatChoice, _ seconds: Int) -> String {
        let end = ChatReport.end(of: seconds >= Int(Int32.max) ? nil : seconds)
        return "\(choice.chat.name) is "
            + (seconds == 0 ? "not muted\n" : "muted \(end)\n")
    }

    private static func json(_ choice: ChatChoice, _ seconds: Int) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("app", choice.report.account.app)
            writer.member("account", choice.report.account.account)
            writer.member("chat_id", choice.chat.id)
            writer.member("title", choice.chat.title)
            writer.member("mute_for", seconds)
        }
        return writer.text + "\n"
    }
}
