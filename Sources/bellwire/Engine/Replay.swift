import Base
import Notifications

/// Plays a recorded story to the engine under TDLib's policy.
struct Replay {
    private let story: JSONNode
    private let keepsMessages: Bool
    private var engine: Engine
    private var clock = ReplayClock()
    /// The last updates of an engine that was replaced by another.
    private var carried: [Update] = []

    init(_ story: JSONNode) {
        self.story = story
        let setup = story["setup"]
        keepsMessages = setup?["message_database"]?.bool ?? true
        var account = Account()
        account.policy = .strict
        account.userID = setup?["my_id"]?.integer ?? 0
        for id in Self.ids(setup?["private_chats"]) { account.know(.user(id), "User\(id)") }
        for id in Self.ids(setup?["basic_groups"]) {
            account.know(.basicGroup(id), "Basic\(id)")
        }
        for id in Self.ids(setup?["supergroups"]) { account.know(.channel(id), "Super\(id)") }
        for id in Self.ids(setup?["channels"]) {
            account.know(.channel(id), "Chan\(id)", kind: .channel)
        }
        Self.set(story["options"], in: &account)
        engine = Engine(account)
        start()
        _ = engine.takeUpdates()
    }

    private static func ids(_ node: JSONNode?) -> [Int64] {
        (node?.elements ?? []).compactMap(\.integer)
    }

    private static func set(_ options: JSONNode?, in account: inout Account) {
        for (name, value) in options?.members ?? [] {
            if let number = value.integer {
                // A client's value that is out of range changes nothing.
                if OptionName.range(of: name)?.contains(number) == false { continue }
                account.options[name] = .integer(number)
            } else if let flag = value.bool {
                account.options[name] = .boolean(flag)
            } else if let text = value.text {
                account.options[name] = .string(text)
            } else {
                account.options[name] = nil
            }
        }
    }

    /// The recorded account never finished fetching.
    private mutating func start() {
        engine.beginFetching()
        engine.start(now: ReplayClock.now)
    }

    mutating func play() -> String {
        let steps = story["steps"]?.elements ?? []
        return JSONWriter.line { writer in
            writer.member("name", story["name"]?.text ?? "")
            writer.name("steps")
            writer.array { writer in
                var isAnsweredLate = false
                for (index, step) in steps.enumerated() {
                    let result = perform(step["do"] ?? step)
                    var updates = carried + engine.takeUpdates()
                    carried = []
                    if isEdit(step), updates.isEmpty { isAnsweredLate = true }
                    if isPushWithoutAnswer(step) { clock.waitForAnswer() }
                    let isLastRequest = index == steps.count - 1 && step["do"]?["request"] != nil
                    if isLastRequest, !isAnsweredLate {
                        // A story that ends with a request is recorded until no update is held
                        // back.
                        engine.close(now: ReplayClock.now)
                        updates += engine.takeUpdates()
                    }
                    write(result, updates, to: &writer)
                }
            }
        }
    }

    private func isEdit(_ step: JSONNode) -> Bool {
        let push = step["do"]?["push"]
        return (push?["data"] ?? push)?["custom"]?["edit_date"] != nil
    }

    /// TDLib answers a push to a group that is hidden only later.
    private func isPushWithoutAnswer(_ step: JSONNode) -> Bool {
        step["do"]?["push"] != nil && step["result"]?.kind == .null
    }

    private mutating func perform(_ action: JSONNode) -> Outcome? {
        if let push = action["push"] {
            let payload = clock.payload(push)
            return process(payload, at: push["date"] == nil ? clock.undated : ReplayClock.now)
        }
        if let text = action["push_raw"]?.text { return process(Array(text.utf8)) }
        if let request = action["request"] {
            let outcome = handle(request)
            return isWithheld(request, outcome) ? nil : outcome
        }
        if action["restart"] != nil {
            restart(options: action["options"])
        } else if action["close"] != nil {
            engine.close(now: ReplayClock.now)
        }
        return nil
    }

    private mutating func process(
        _ payload: [UInt8], at time: Double = ReplayClock.now
    ) -> Outcome {
        engine.process(payload: payload, dialect: .telegram, level: .webpush, now: time)
    }

    private mutating func handle(_ request: JSONNode) -> Outcome {
        if let refusal = Engine.refusal(of: request) { return refusal }
        switch request["@type"]?.text {
        case "processPushNotification":
            return process(Array((request["payload"]?.text ?? "").utf8))
        case "getPushReceiverId": return PushReceiver.answer(to: request)
        default:
            return engine.handle(request, now: ReplayClock.now)
                ?? .unknown(request["@type"]?.text ?? "")
        }
    }

    /// TDLib asks its server for what it does not have; a recorded account has no server.
    private func isWithheld(_ request: JSONNode, _ outcome: Outcome) -> Bool {
        if outcome == .needsServer { return true }
        return if case .object = outcome {
            request["@type"]?.text == "getScopeNotificationSettings"
        } else {
            false
        }
    }

    /// Without a message database, a restart keeps only options and the ids given out.
    private mutating func restart(options: JSONNode?) {
        engine.close(now: ReplayClock.now)
        carried = engine.takeUpdates()
        var account = Self.stored(engine.account)
        if !keepsMessages {
            account = Account()
            account.policy = .strict
            account.userID = engine.account.userID
            account.options = engine.account.options
            account.lastNotificationID = engine.account.lastNotificationID
            account.lastGroupID = engine.account.lastGroupID
        }
        Self.set(options, in: &account)
        engine = Engine(account)
        start()
    }

    /// Encodes and decodes the account, as a store would.
    private static func stored(_ account: Account) -> Account {
        (try? Account(state: account.state)) ?? Account()
    }

    private func write(_ result: Outcome?, _ updates: [Update], to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("result")
            switch result {
            case nil: writer.raw("null")
            case .ok, .object: writer.string("ok")
            case .error(let code, let message):
                writer.object { writer in
                    writer.member("code", code)
                    writer.member("message", message)
                }
            }
            writer.name("updates")
            writer.array { writer in
                for update in updates where update.isRecorded {
                    var text = JSONWriter()
                    update.write(to: &text)
                    writer.raw(clock.relative(text.text))
                }
            }
        }
    }
}

extension Account {
    fileprivate mutating func know(_ id: ChatID, _ title: String, kind: Chat.Kind? = nil) {
        var chat = Chat(id, title: title)
        if let kind { chat.kind = kind }
        chats[id] = chat
    }
}

extension Update {
    /// Recordings hold only updates about notifications.
    fileprivate var isRecorded: Bool {
        switch self {
        case .activeNotifications, .group, .notification, .havePending, .chatReadInbox: true
        default: false
        }
    }
}
