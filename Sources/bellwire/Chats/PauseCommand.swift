import Base
import System

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
