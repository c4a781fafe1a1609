package import Base

/// What a client may ask about chats, users and the state of its account, as far as notifications
/// know it.
extension Engine {
    func answer(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return writer.text
    }

    func chat(_ chatID: ChatID) -> String {
        guard let chat = account.chats[chatID] else { return "" }
        return answer { writer in
            writer.object { writer in
                writer.member("@type", "chat")
                writer.member("id", Int(chatID.rawValue))
                writer.name("type")
                writer.chatType(chatID, chat.kind)
                writer.member("title", chat.title)
                writer.member("is_marked_as_unread", chat.isMarkedUnread)
                writer.member("default_disable_notification", chat.isSilentByDefault)
                writer.member("unread_count", account.groups[chat.messageGroupID]?.totalCount ?? 0)
                writer.member("last_read_inbox_message_id", Int(chat.lastRead.rawValue))
                writer.member(
                    "unread_mention_count", account.groups[chat.mentionGroupID]?.totalCount ?? 0)
                writer.name("notification_settings")
                write(settingsOf: chat, to: &writer)
            }
        }
    }

    func user(_ type: String, _ request: JSONNode) -> Outcome {
        let id = type == "getMe" ? account.userID : request["user_id"]?.integer ?? 0
        guard 1..<ChatID.userLimit ~= id else { return .badRequest("Invalid user identifier") }
        let name = name(ofUser: id)
        guard name != nil || id == account.userID else { return .badRequest("User not found") }
        return .object(
            answer { writer in
                writer.object { writer in
                    writer.member("@type", "user")
                    writer.member("id", Int(id))
                    writer.member("first_name", name ?? "")
                    writer.member("last_name", "")
                    writer.member("have_access", true)
                    writer.name("type")
                    writer.object { $0.member("@type", "userTypeRegular") }
                }
            })
    }

    /// The name of a private chat, or of the sender of a notification.
    private func name(ofUser id: Int64) -> String? {
        if let chat = account.chats[.user(id)] { return chat.title }
        for notification in account.groups.all.lazy.flatMap(\.notifications) {
            if case .newPushMessage(let message) = notification.content,
                message.sender == .user(id), !message.senderName.isEmpty
            {
                return message.senderName
            }
        }
        return nil
    }

    /// What TDLib would send to a client that has just started.
    func currentState() -> String {
        var state = [Update.option(name: "version", .string(OptionName.version))]
        if account.userID != 0 {
            state.append(.option(name: "my_id", .integer(account.userID)))
        }
        state.append(.option(name: OptionName.online, .boolean(presence.isOnline)))
        state += account.options.sorted { $0.key < $1.key }.map {
            Update.option(name: $0.key, $0.value)
        }
        let ready = #"{"@type":"authorizationStateReady"}"#
        state.append(
            .changed(
                json: #"{"@type":"updateAuthorizationState","authorization_state":\#(ready)}"#))
        if order.limit > 0 {
            let isDelayed = !queue.isEmpty || !delayedGroups.isEmpty
            state += [
                Update.activeNotifications(activeGroups),
                Update.havePending(delayed: isDelayed, unreceived: isFetching),
            ]
        }
        return answer { writer in
            writer.object { writer in
                writer.member("@type", "updates")
                writer.name("updates")
                writer.array { writer in for update in state { update.write(to: &writer) } }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func chatType(_ id: ChatID, _ kind: Chat.Kind) {
        object { writer in
            switch kind {
            case .privateChat:
                writer.member("@type", "chatTypePrivate")
                writer.member("user_id", Int(id.rawValue))
            case .basicGroup:
                writer.member("@type", "chatTypeBasicGroup")
                writer.member("basic_group_id", Int(-id.rawValue))
            case .supergroup, .channel:
                writer.member("@type", "chatTypeSupergroup")
                writer.member("supergroup_id", Int(id.channelNumber))
                writer.member("is_channel", kind == .channel)
            case .secret:
                writer.member("@type", "chatTypeSecret")
                writer.member("secret_chat_id", Int(id.secretNumber))
            }
        }
    }
}

extension Outcome {
    /// The answer as a JSON object, with the client's `@extra`.
    package func answer(extra: JSONNode? = nil) -> [UInt8] {
        var bytes: [UInt8]
        switch self {
        case .ok: bytes = Array(#"{"@type":"ok"}"#.utf8)
        case .object(let text): bytes = Array(text.utf8)
        case .error(let code, let message):
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("@type", "error")
                writer.member("code", code)
                writer.member("message", message)
            }
            bytes = writer.bytes
        }
        guard let extra else { return bytes }
        var writer = JSONWriter()
        writer.value(extra)
        bytes.removeLast()
        return bytes + Array(#","@extra":"#.utf8) + writer.bytes + [UInt8(ascii: "}")]
    }
}

/// Requests of TDLib whose answer does not depend on the account.
extension Outcome {
    /// Nil for any other request.
    init?(plainRequest type: String, _ request: JSONNode) {
        switch type {
        case "getAuthorizationState": self = .object(#"{"@type":"authorizationStateReady"}"#)
        case "setAlarm": self = Self.alarm(request)
        case "setLogVerbosityLevel":
            let isLevel = 0...1_024 ~= request["new_verbosity_level"]?.integer ?? 0
            self = isLevel ? .ok : .badRequest("Wrong new verbosity level specified")
        case "getChatNotificationSettingsExceptions", "getStoryNotificationSettingsExceptions",
            "getSavedNotificationSound", "getSavedNotificationSounds", "addSavedNotificationSound",
            "removeSavedNotificationSound", "testNetwork":
            self = .needsServer
        case "testCallEmpty", "testGetDifference": self = .ok
        case "testReturnError":
            let error = request["error"]
            self =
                error?.kind == .object
                ? .error(
                    code: Int(error?["code"]?.integer ?? 0), message: error?["message"]?.text ?? "")
                : .error(code: 404, message: "Not Found")
        default:
            guard let answer = Self.test(type, request["x"]) else { return nil }
            self = .object(answer)
        }
    }

    /// The client gets its answer at once: a host keeps no timers for its clients.
    private static func alarm(_ request: JSONNode) -> Outcome {
        let text = request["seconds"]?.textOrNumber ?? "0"
        guard let seconds = Double(text), 0...3e9 ~= seconds else {
            return .badRequest("Wrong parameter seconds specified")
        }
        return .ok
    }

    /// The answer to a test gives back what the request carries.
    private static func test(_ type: String, _ value: JSONNode?) -> String? {
        var writer = JSONWriter()
        switch type {
        case "testCallString": writer.test("testString") { $0.string(value?.text ?? "") }
        case "testCallBytes": writer.test("testBytes") { $0.string(value?.text ?? "") }
        case "testSquareInt":
            let number = Int32(truncatingIfNeeded: value?.integer ?? 0)
            writer.test("testInt") { $0.number(Int(number &* number)) }
        case "testCallVectorInt":
            writer.list("testVectorInt", value) { $0.number(Int($1.integer ?? 0)) }
        case "testCallVectorString":
            writer.list("testVectorString", value) { $0.string($1.text ?? "") }
        case "testCallVectorIntObject":
            writer.list("testVectorIntObject", value) { writer, element in
                writer.test("testInt") { $0.number(Int(element["value"]?.integer ?? 0)) }
            }
        case "testCallVectorStringObject":
            writer.list("testVectorStringObject", value) { writer, element in
                writer.test("testString") { $0.string(element["value"]?.text ?? "") }
            }
        default: return nil
        }
        return writer.text
    }
}

extension JSONWriter {
    fileprivate mutating func test(_ type: String, _ value: (inout JSONWriter) -> Void) {
        object { writer in
            writer.member("@type", type)
            writer.name("value")
            value(&writer)
        }
    }

    fileprivate mutating func list(
        _ type: String, _ value: JSONNode?, _ element: (inout JSONWriter, JSONNode) -> Void
    ) {
        test(type) { writer in
            writer.array { writer in
                for node in value?.elements ?? [] { element(&writer, node) }
            }
        }
    }
}
