import Base
import System

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
