import Base
import System

extension Command {
    private static let accountOption = Option(
        "account", "APP/ACCOUNT", help: "search only this account for the chat")

    static let mute = Command(
        name: "mute",
        summary: "hide the notifications of a chat, for a time or for good",
        forms: ["CHAT [--for TIME]"],
        details: """
            CHAT is a number that bellwire chats shows, or the beginning of a title, if it fits
            only one chat. New messages of the chat are not shown, not even later. Notifications
            that are already on the screen stay.
            """,
        options: [
            Option("for", "TIME", help: "how long: 90s, 30m, 2h, 1d or 1w (default: for good)"),
            accountOption,
        ] + serverOptions,
        examples: [
            Example(
                "bellwire mute Ada --for 2h",
                help: "hide the chat whose title begins with Ada for two hours"),
            Example("bellwire mute 3", help: "hide the chat with the number 3 until you unmute it"),
        ]
    ) { arguments in
        let seconds = try arguments["for"].map(TimeSpan.seconds)
        return try change(arguments) { _ in seconds ?? Int(Int32.max) }
    }

    static let unmute = Command(
        name: "unmute",
        summary: "show the notifications of a muted chat again",
        forms: ["CHAT"],
        details: """
            CHAT is a number that bellwire chats shows, or the beginning of a title, if it fits
            only one chat.
            """,
        options: [accountOption] + serverOptions,
        examples: [
            Example("bellwire unmute Ada", help: "show the chat whose title begins with Ada again"),
            Example("bellwire unmute 3", help: "show the chat with the number 3 again"),
        ]
    ) { arguments in
        // If all chats of its kind are muted, this chat becomes an exception.
        try change(arguments) { $0.report.mutesKind(of: $0.chat) ? 0 : nil }
    }

    /// `time` returns the seconds to mute; nil follows the kind of the chat.
    private static func change(
        _ arguments: Arguments, _ time: (ChatChoice) -> Int?
    ) throws -> ExitCode {
        guard let name = arguments.positional.first, arguments.positional.count == 1 else {
            throw CommandError.usage(
                "name one chat; put a title with spaces in quotes",
                hint: "run bellwire chats to list them all")
        }
        let control = try ControlConnection(arguments)
        let reports = try AccountName.all(control, named: arguments["account"])
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

/// The chat that the user named, out of all accounts.
struct ChatChoice {
    let report: ChatReport
    let chat: ChatReport.Chat

    /// Matches the number, the title, or the beginning of only one title.
    init(_ name: String, in reports: [ChatReport]) throws {
        let all = reports.flatMap { report in report.chats.map { (report: report, chat: $0) } }
        let word = name.lowercased()
        let found = [
            all.filter { String($0.chat.id) == name },
            all.filter { $0.chat.title.lowercased() == word },
            all.filter { $0.chat.title.lowercased().hasPrefix(word) },
        ].first { !$0.isEmpty }
        guard let found, let only = found.first, !name.isEmpty else {
            throw CommandError(
                message: "no chat has a title that begins with \(name)",
                hint: "run bellwire chats to list them all", exitCode: .refused)
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map {
                "\($0.chat.name) (\($0.chat.id), \($0.report.account))"
            }
            throw CommandError.usage(
                "\(found.count) chats match: " + names.joined(separator: ", ")
                    + (found.count > names.count ? ", …" : ""),
                hint: "give more of the title, use the number, or add --account")
        }
        (report, chat) = only
    }
}

extension Command {
    static let pause = Command(
        name: "pause",
        summary: "silence an account, for a time or until unpause",
        forms: ["[NAME] [--for TIME]"],
        details: """
            While an account is paused, its notifications make no sound and calls do not ring. NAME
            is what bellwire hear was given, or APP/ACCOUNT. Without it, pause silences the only
            account that has a registration. bellwire chats shows what is paused.
            """,
        options: [
            Option("for", "TIME", help: "how long: 90s, 30m, 2h, 1d or 1w (default: until unpause)")
        ] + serverOptions,
        examples: [
            Example(
                "bellwire pause telegram/me --for 8h",
                help: "silence one of several accounts for the night"),
            Example(
                "bellwire pause builds",
                help: "silence what comes to this address until you unpause it"),
        ]
    ) { arguments in
        let seconds = try arguments["for"].map(TimeSpan.seconds)
        let account = try pause(arguments, true, seconds)
        if !arguments.has("json") {
            let end =
                seconds.map { ChatReport.end(of: $0) }
                ?? "until bellwire unpause \(ShellWord.quoted(Printable.text("\(account)")))"
            try StandardOutput.write("\(Printable.text("\(account)")) is paused \(end)\n")
        }
        return .success
    }

    static let unpause = Command(
        name: "unpause",
        summary: "end the pause of an account",
        forms: ["[NAME]"],
        details: "Without an account, it unpauses the only account that has a registration.",
        options: serverOptions,
        examples: [
            Example("bellwire unpause", help: "let your only account ring again"),
            Example("bellwire unpause telegram/me", help: "let one of several accounts ring again"),
        ]
    ) { arguments in
        let account = try pause(arguments, false, nil)
        if !arguments.has("json") {
            try StandardOutput.write("\(Printable.text("\(account)")) is not paused\n")
        }
        return .success
    }

    private static func pause(
        _ arguments: Arguments, _ isPaused: Bool, _ seconds: Int?
    ) throws -> AccountName {
        guard arguments.positional.count <= 1 else {
            throw CommandError.usage(
                "name at most one account", hint: "run bellwire list to see all registrations")
        }
        let control = try ControlConnection(arguments)
        let accounts = try AccountName.all(control, named: arguments.positional.first)
        guard let account = accounts.first, accounts.count == 1 else {
            throw CommandError.usage(
                "say which account",
                hint: accounts.map(\.description).joined(separator: ", "))
        }
        _ = try EngineDialogue(control: control, account: account).ask("bellwire.pause") { writer in
            writer.member("paused", isPaused)
            if let seconds { writer.member("paused_for", seconds) }
        }
        guard arguments.has("json") else { return account }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("app", account.app)
            writer.member("account", account.account)
            writer.member("paused", isPaused)
            if let seconds { writer.member("paused_for", seconds) }
        }
        try StandardOutput.write(writer.text + "\n")
        return account
    }
}

/// A length of time as typed on a command line: `90s`, `30m`, `2h`, `1d`, `1w`.
enum TimeSpan {
    private static let units: [Character: Int] = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800,
    ]
    /// TDLib treats a longer time as forever.
    private static let longest = 366 * 86_400

    static func seconds(_ text: String) throws -> Int {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), digits.allSatisfy(\.isASCII),
            let number = Int(digits), number > 0
        else {
            throw CommandError.usage(
                "\(text) is not a length of time", hint: "write 90s, 30m, 2h, 1d or 1w")
        }
        let (seconds, isOver) = number.multipliedReportingOverflow(by: unit)
        guard !isOver, seconds <= longest else {
            throw CommandError.usage(
                "\(text) is too long", hint: "use at most 366d; without --for it is for good")
        }
        return seconds
    }
}
