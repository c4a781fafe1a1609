import Base
import Notifications
import System

extension Command {
    static let account = Command(
        name: "account",
        summary: "list the chats of accounts, mute chats, and pause accounts",
        verbs: [
            Verb("list", "[NAME]", listAccounts), Verb("mute", "CHAT", muteChat),
            Verb("unmute", "CHAT", unmuteChat), Verb("pause", "[NAME]", pauseAccount),
            Verb("unpause", "[NAME]", unpauseAccount),
        ],
        details: """
            Asks the running server through its control socket. NAME is the name of a topic, or
            APP/ACCOUNT. list names the chats that sent notifications, and which are muted; without
            NAME, those of all accounts. Paused accounts are marked.

            CHAT is a number that list shows, or the beginning of a title, if it fits only one chat;
            put a title with spaces in quotes. New messages of a muted chat are not shown, not even later. Notifications that are
            already on the screen stay.

            While an account is paused, its notifications make no sound and calls do not ring.
            Without NAME, pause and unpause are for the only account that has a registration.
            Without --for, mute and pause last until unmute and unpause.
            """,
        options: [
            Option(
                "for", "TIME", of: "mute", "pause",
                help: "how long: 90s, 30m, 2h, 1d or 1w (default: for good)"),
            Option(
                "account", "APP/ACCOUNT", of: "mute", "unmute",
                help: "search only this account for the chat"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire account mute Ada --for 2h",
                help: "hide the chat whose title begins with Ada for two hours"),
            Example(
                "bellwire account pause telegram/me --for 8h",
                help: "silence one of several accounts for the night"),
        ]
    )

    private static func listAccounts(_ arguments: Arguments) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let reports = try AccountName.all(control, named: arguments.positional.first)
            .map { try ChatReport($0, control) }
        return try arguments.print(reports.map(\.text).joined(separator: "\n")) { writer in
            writer.objects("accounts", reports) { $0.members(&$1) }
        }
    }
}

/// The chats of an account as text.
struct ChatReport {
    let account: AccountName
    let list: ChatList
    private let json: JSONNode

    /// High enough to load all chats, because a search must see them all.
    static let limit = 1_000_000

    init(_ account: AccountName, _ control: ControlConnection) throws {
        self.account = account
        json = try EngineDialogue(control: control, account: account)
            .ask(.chats(limit: Self.limit))
        list = ChatList(json)
    }

    var text: String {
        let pause = list.isPaused ? ", paused \(Self.end(of: list.pauseTime))" : ""
        guard !list.chats.isEmpty else {
            return "\(Printable.text("\(account)"))\(pause): no chats yet; "
                + "a chat appears with its first notification\n"
        }
        return "\(Printable.text("\(account)"))\(pause)\n" + TextTable.text(list.chats.map(row))
    }

    private func row(_ chat: ChatList.Chat) -> [String] {
        let count = chat.notifications
        return [
            "  \(chat.id)", chat.name, chat.kind,
            count == 0 ? "" : count == 1 ? "1 notification" : "\(count) notifications",
            chat.isMuted ? "muted \(Self.end(of: chat.muteTime))" : "",
        ]
    }

    /// "until" a time, or "for good".
    static func end(of seconds: Int?) -> String {
        guard let seconds, seconds < ChatList.forGood else { return "for good" }
        return "until " + LocalTime.text(Int(WallClock.now) &+ seconds)
    }

    func members(_ writer: inout JSONWriter) {
        writer.member("app", account.app)
        writer.member("account", account.account)
        for (name, value) in json.members where !name.hasPrefix("@") {
            writer.name(text: name)
            writer.value(value)
        }
    }
}

extension ChatList.Chat {
    var name: String { title.isEmpty ? "chat \(id)" : Printable.text(title) }
}
