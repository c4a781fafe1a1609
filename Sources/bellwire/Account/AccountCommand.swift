import Base
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
            writer.name("accounts")
            writer.array { writer in for report in reports { report.append(to: &writer) } }
        }
    }
}

/// The chats of an account as text.
struct ChatReport {
    struct Chat {
        let id: Int
        let title: String
        let kind: String
        /// How long it is muted, in seconds; nil means for good.
        let muteTime: Int?
        let notifications: Int

        var isMuted: Bool { muteTime != 0 }
        var name: String { title.isEmpty ? "chat \(id)" : Printable.text(title) }
    }

    let account: AccountName
    let chats: [Chat]
    let isPaused: Bool
    /// How long the account is paused, in seconds; nil means for good.
    let pauseTime: Int?
    /// Kinds of chats that are muted as a whole.
    private let mutedKinds: Set<String>
    private let json: JSONNode

    private static let forGood = Int(Int32.max)
    /// High enough to load all chats, because a search must see them all.
    private static let limit = 1_000_000

    init(_ account: AccountName, _ control: ControlConnection) throws {
        let answer = try EngineDialogue(control: control, account: account)
            .ask("bellwire.getChats") { $0.member("limit", Self.limit) }
        self.account = account
        json = answer
        chats = (answer["chats"]?.elements ?? []).map { node in
            Chat(
                id: Int(node["chat_id"]?.integer ?? 0), title: node["title"]?.text ?? "",
                kind: node["type"]?.text ?? "", muteTime: Self.time(node["mute_for"]),
                notifications: Int(node["notifications"]?.integer ?? 0))
        }
        isPaused = answer["source"]?["paused"]?.bool ?? false
        pauseTime = (answer["source"]?["paused_for"]?.integer).map(Int.init)
        mutedKinds = Set(
            (answer["scopes"]?.members ?? []).filter { Self.time($0.value) != 0 }
                .map { $0.name })
    }

    private static func time(_ node: JSONNode?) -> Int? {
        let seconds = Int(node?.integer ?? 0)
        return seconds >= forGood ? nil : seconds
    }

    /// Whether the chat is muted unless it has a setting of its own.
    func mutesKind(of chat: Chat) -> Bool {
        mutedKinds.contains(chat.kind == "secret" ? "private" : chat.kind)
    }

    var text: String {
        let pause = isPaused ? ", paused \(Self.end(of: pauseTime))" : ""
        guard !chats.isEmpty else {
            return "\(Printable.text("\(account)"))\(pause): no chats yet; "
                + "a chat appears with its first notification\n"
        }
        return "\(Printable.text("\(account)"))\(pause)\n" + TextTable.text(chats.map(row))
    }

    private func row(_ chat: Chat) -> [String] {
        let count = chat.notifications
        return [
            "  \(chat.id)", chat.name, chat.kind,
            count == 0 ? "" : count == 1 ? "1 notification" : "\(count) notifications",
            chat.isMuted ? "muted \(Self.end(of: chat.muteTime))" : "",
        ]
    }

    /// "until" a time, or "for good".
    static func end(of seconds: Int?) -> String {
        guard let seconds else { return "for good" }
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
