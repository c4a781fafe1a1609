package import Base

/// What an engine says to its client, as far as a screen or a terminal has to know it.
package enum EngineMessage: Equatable, Sendable {
    case update(EngineUpdate)
    case action(OwedAction)
    /// Nobody took the action in time.
    case actionExpired(id: String)
    case fetch(FetchNotice)
    case sessionRevoked
    /// A chat is muted now, or is no longer; or all of its kind.
    case settingsChanged
    case chats(ChatList)
    /// A request was carried out.
    case done(EngineRequest.Mark?)
    case error(EngineError)

    /// Nil for everything else.
    package init?(_ node: JSONNode) {
        switch node["@type"]?.text {
        case "bellwire.updateNotificationAction":
            guard let action = OwedAction(node) else { return nil }
            self = .action(action)
        case "bellwire.updateActionExpired":
            guard let id = node["id"]?.textOrNumber else { return nil }
            self = .actionExpired(id: id)
        case "bellwire.updateFetchRequired": self = .fetch(FetchNotice(node))
        case "bellwire.updateSessionRevoked": self = .sessionRevoked
        case "updateChatNotificationSettings", "updateScopeNotificationSettings":
            self = .settingsChanged
        case "bellwire.chats": self = .chats(ChatList(node))
        case "ok": self = .done(EngineRequest.Mark(answer: node))
        case "error":
            guard let error = EngineError(node) else { return nil }
            self = .error(error)
        default:
            guard let update = EngineUpdate(node) else { return nil }
            self = .update(update)
        }
    }

    /// What concerns the notifications on a screen.
    package var update: EngineUpdate? {
        switch self {
        case .update(let update): update
        case .error(let error): error.refusal
        default: nil
        }
    }
}

/// The refusal of a request, or of the client.
package struct EngineError: Equatable, Sendable {
    package let code: Int64
    package let message: String
    package let mark: EngineRequest.Mark?
    private let hasExtra: Bool

    /// Nil for everything but errors.
    package init?(_ node: JSONNode) {
        guard node["@type"]?.text == "error" else { return nil }
        code = node["code"]?.integer ?? 0
        message = node["message"]?.text ?? ""
        mark = EngineRequest.Mark(answer: node)
        hasExtra = node.has("@extra")
    }

    /// It may be well later.
    package var isTemporary: Bool { code == 429 || code >= 500 }

    /// It is no answer to a request.
    package var isEndOfAccount: Bool { code == 404 && !hasExtra }

    /// A temporary failure is retried after the next connection.
    fileprivate var refusal: EngineUpdate? {
        guard !isTemporary, case .notification(let group, let notification) = mark else {
            return nil
        }
        return .refused(group: group, notification: notification)
    }
}

/// There is something that the client has to fetch.
package struct FetchNotice: Equatable, Sendable {
    package var reason = ""
    /// By which a program confirms that it has the signal.
    package var id: String?
    package var registration: String?
    /// How many pushes it stands for.
    package var count: Int64 = 1
    package var version: String?
    /// The D-Bus name of the program that gets it.
    package var service: String?

    package init() {}

    fileprivate init(_ node: JSONNode) {
        reason = node["reason"]?.text ?? ""
        id = node["id"]?.textOrNumber
        registration = node["registration"]?.text
        count = node["count"]?.integer ?? 1
        version = node["version"]?.textOrNumber
        service = node["service"]?.text
    }

    /// The signal of an endpoint whose payloads nobody can read.
    package var signal: Update {
        var details: [Update.Detail] = []
        func add(_ name: String, _ text: String?) {
            if let text { details.append(Update.Detail(name, source: JSONText.quoted(text))) }
        }
        add("id", id)
        add("registration", registration)
        details.append(Update.Detail("count", source: "\(count)"))
        add("version", version)
        add("service", service)
        return .fetchRequired(reason: "signal", details: details)
    }
}

extension ChosenAction {
    func members(_ writer: inout JSONWriter) {
        writer.member("@type", "bellwire.updateNotificationAction")
        writer.member("id", int64: id)
        write(to: &writer)
        if !service.isEmpty { writer.member("service", service) }
        if !activationToken.isEmpty { writer.member("activation_token", activationToken) }
    }

    /// The members that updates and callbacks share.
    package func write(to writer: inout JSONWriter) {
        writer.member("chat_id", Int(chatID.rawValue))
        writer.member("message_id", Int(messageID.rawValue))
        writer.member("action", action)
        writer.member("date", Int(date))
        if let text { writer.member("text", text) }
        if !data.isEmpty { writer.member("data", json: data) }
        if !callID.isEmpty { writer.member("call_id", callID) }
    }
}

/// A user's action on a notification. The engine repeats it until an application has it.
package struct OwedAction: Equatable, Sendable {
    package let id: String
    package let chat: Int64
    package let message: Int64
    package let action: String
    package let text: String?
    /// A JSON object from the payload.
    package let data: String?
    /// The id of a call, from the payload.
    package let callID: String?
    /// The application that the account's registration names.
    package let service: String?
    package let token: String?

    /// Reads `bellwire.updateNotificationAction`.
    package init?(_ node: JSONNode) {
        guard node["@type"]?.text == "bellwire.updateNotificationAction",
            let id = node["id"]?.textOrNumber, let action = node["action"]?.text
        else { return nil }
        self.id = id
        self.action = action
        chat = node["chat_id"]?.integer ?? 0
        message = node["message_id"]?.integer ?? 0
        text = node["text"]?.text
        data = node["data"].map(JSONText.anew)
        callID = node["call_id"]?.textOrNumber
        service = node["service"]?.text
        token = node["activation_token"]?.text
    }
}
