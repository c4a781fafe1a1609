import Notifications

/// Telegram's pushes for one account, each a new message in one of several chats.
struct EnginePushes {
    private(set) var engine: Engine
    private var message = 0
    private var now = 1_800_000_000.0
    private let chats: Int

    /// `known` is how many other chats the account knows.
    init(groups: Int, known: Int = 0) {
        var account = Account()
        account.userID = 777
        account.options = [
            OptionName.groupCountMax: .integer(25), OptionName.groupSizeMax: .integer(25),
        ]
        account.chats.reserveCapacity(known)
        for id in 0..<known {
            let chatID = ChatID.user(Int64(1_000_000 + id))
            account.chats[chatID] = Chat(chatID, title: "Somebody \(id)")
        }
        chats = groups
        engine = Engine(account)
        engine.start(now: now)
    }

    /// One push through dialect and engine.
    mutating func push() -> [Update] {
        let payload = nextPayload()
        _ = engine.process(payload: payload, dialect: .telegram, level: .webpush, now: now)
        return engine.takeUpdates()
    }

    private mutating func nextPayload() -> [UInt8] {
        message += 1
        now += 0.01
        var payload = Self.head
        payload += String(message).utf8
        payload += Self.middle
        payload += String(message % chats + 1).utf8
        payload += Self.tail
        return payload
    }

    private static let head = Array(
        (#"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["First name Last name","Shall we "#
            + #"meet at the station at seven? I bring the tickets."],"custom":{"msg_id":""#).utf8)
    private static let middle = Array(#"","from_id":""#.utf8)
    private static let tail = Array(
        #""},"badge":"239","sound":"sound1.mp3","user_id":777}}"#.utf8)
}
