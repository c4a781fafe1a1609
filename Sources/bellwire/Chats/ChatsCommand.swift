import Base
import Notifications
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

    func append(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", account.app)
            writer.member("account", account.account)
            for (name, value) in json.members where !name.hasPrefix("@") {
                writer.name(text: name)
                writer.value(value)
            }
        }
    }
}

extension ChatList.Chat {
    var name: String { title.isEmpty ? "chat \(id)" : Printable.text(title) }
}
