import Base
import Configuration
import Notifications
import System

extension Command {
    static func muteChat(_ arguments: Arguments) throws -> ExitCode {
        let seconds = try arguments["for"].map(TimeSpan.typed)
        return try change(arguments) { _ in seconds ?? ChatList.forGood }
    }

    static func unmuteChat(_ arguments: Arguments) throws -> ExitCode {
        // If all chats of its kind are muted, this chat becomes an exception.
        try change(arguments) { $0.report.list.mutes(kind: $0.chat.kind) ? 0 : nil }
    }

    /// `time` returns the seconds to mute; nil follows the kind of the chat.
    private static func change(
        _ arguments: Arguments, _ time: (ChatChoice) -> Int?
    ) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let reports = try AccountName.all(control, named: arguments["account"])
            .map { try ChatReport($0, control) }
        let choice = try ChatChoice(arguments.positional[0], in: reports)
        let seconds = time(choice)
        _ = try EngineDialogue(control: control, account: choice.report.account)
            .ask(.mute(chat: Int64(choice.chat.id), seconds: seconds))
        return try arguments.print(text(choice, seconds ?? 0)) { writer in
            writer.member("app", choice.report.account.app)
            writer.member("account", choice.report.account.account)
            writer.member("chat_id", choice.chat.id)
            writer.member("title", choice.chat.title)
            writer.member("mute_for", seconds ?? 0)
        }
    }

    private static func text(_ choice: ChatChoice, _ seconds: Int) -> String {
        let end = ChatReport.end(of: seconds)
        return "\(choice.chat.name) is "
            + (seconds == 0 ? "not muted\n" : "muted \(end)\n")
    }
}

/// The chat that the user named, out of all accounts.
struct ChatChoice {
    let report: ChatReport
    let chat: ChatList.Chat

    /// Matches the number, the title, or the beginning of only one title.
    init(_ name: String, in reports: [ChatReport]) throws {
        let all = reports.flatMap { report in report.list.chats.map { (report: report, chat: $0) } }
        let word = name.lowercased()
        let found = [
            all.filter { String($0.chat.id) == name },
            all.filter { $0.chat.title.lowercased() == word },
            all.filter { $0.chat.title.lowercased().hasPrefix(word) },
        ].first { !$0.isEmpty }
        guard let found, let only = found.first, !name.isEmpty else {
            throw CommandError.refused(
                "no chat has a title that begins with \(name)",
                hint: "run bellwire account list to see them all")
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
    static func pauseAccount(_ arguments: Arguments) throws -> ExitCode {
        let seconds = try arguments["for"].map(TimeSpan.typed)
        return try pause(arguments, true, seconds) { account in
            let end = seconds.map { ChatReport.end(of: $0) }
            let word = ShellWord.quoted(account)
            return "\(account) is paused \(end ?? "until bellwire account unpause \(word)")\n"
        }
    }

    static func unpauseAccount(_ arguments: Arguments) throws -> ExitCode {
        try pause(arguments, false, nil) { "\($0) is not paused\n" }
    }

    /// `text` gets the name of the account.
    private static func pause(
        _ arguments: Arguments, _ isPaused: Bool, _ seconds: Int?, _ text: (String) -> String
    ) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let accounts = try AccountName.all(control, named: arguments.positional.first)
        guard let account = accounts.first, accounts.count == 1 else {
            throw CommandError.usage(
                "say which account",
                hint: accounts.map(\.description).joined(separator: ", "))
        }
        _ = try EngineDialogue(control: control, account: account)
            .ask(.pause(isPaused, seconds: seconds))
        return try arguments.print(text(Printable.text("\(account)"))) { writer in
            writer.member("app", account.app)
            writer.member("account", account.account)
            writer.member("paused", isPaused)
            if let seconds { writer.member("paused_for", seconds) }
        }
    }
}

extension TimeSpan {
    /// As it was typed on a command line.
    static func typed(_ text: String) throws -> Int {
        do throws(ConfigurationError) {
            return try seconds(text)
        } catch {
            throw CommandError.usage(
                "\(Printable.text(text)) \(error.message)", hint: error.hint)
        }
    }
}
