import Base
import Testing
@testable import Notifications

/// An engine under test, with a client that listens.
struct Story {
    var engine: Engine
    var client = Client()
    var now = 1_800_000_060.0
    /// Everything since the last call.
    var updates: [Update] = []

    init(_ policy: ChatPolicy = .learn, count: Int64 = 5, size: Int64 = 10) {
        var account = Account()
        account.policy = policy
        account.userID = 777
        account.options = [
            OptionName.groupCountMax: .integer(count), OptionName.groupSizeMax: .integer(size),
        ]
        for id in 1...4 as ClosedRange<Int64> {
            account.chats[.user(id)] = Chat(.user(id), title: "User\(id)")
        }
        account.chats[.channel(88)] = Chat(.channel(88), title: "Super88")
        engine = Engine(account)
        engine.start(now: now)
        settle()
        updates = []
    }

    mutating func settle() {
        let new = engine.takeUpdates()
        client.take(new)
        updates += new
    }

    @discardableResult
    mutating func push(
        _ payload: String, dialect: Dialect = .telegram, level: TrustLevel = .webpush,
        isTrusted: Bool = false, id: String = ""
    ) -> Outcome {
        defer { settle() }
        return engine.process(
            payload: Array(payload.utf8), dialect: dialect, level: level, isTrusted: isTrusted,
            id: id, now: now)
    }

    /// A text message of a private chat.
    @discardableResult
    mutating func text(_ text: String, from user: Int = 1, id: Int, date: Int? = nil) -> Outcome {
        let date = date.map { #""date":\#(1_800_000_000 + $0),"# } ?? ""
        return push(
            #"{\#(date)"data":{"loc_key":"MESSAGE_TEXT","loc_args":["User\#(user)","\#(text)"],"#
                + #""custom":{"from_id":"\#(user)","msg_id":"\#(id)"}}}"#)
    }

    @discardableResult
    mutating func request(_ request: String) throws -> Outcome? {
        let node = try JSONDocument(Array(request.utf8)).root
        defer { settle() }
        return engine.handle(node, now: now)
    }

    mutating func pass(_ seconds: Double) {
        now += seconds
        engine.advance(to: now)
        // Otherwise its host would call it again at once, for ever.
        if let due = engine.nextDeadline { #expect(due > now) }
        settle()
    }

    /// The process ends suddenly and starts again from the stored state.
    mutating func restart() throws {
        engine = Engine(try Account(state: engine.account.state))
        client.restart()
        engine.start(now: now)
        settle()
    }

    mutating func takeGroups() -> [GroupUpdate] {
        defer { updates = [] }
        return updates.compactMap { if case .group(let update) = $0 { update } else { nil } }
    }

    /// The texts on the screen, group by group.
    var shown: [[String]] {
        engine.activeGroups.map { group in
            group.notifications.map { notification in
                switch notification.content {
                case .newPushMessage(let message): message.content.text
                case .newMessage(let message, _): "message \(message.id.rawValue >> 20)"
                case .newSecretChat: "secret chat"
                case .newCall: "call"
                }
            }
        }
    }
}
