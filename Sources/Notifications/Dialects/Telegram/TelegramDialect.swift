import Base

/// Telegram's push payloads.
package enum TelegramDialect {
    /// Whether it is a payload of Telegram's, perhaps a malformed one. One without content is.
    static func isMarked(_ payload: [UInt8]) -> Bool {
        guard let root = try? JSONDocument(payload, isTolerant: true).root, root.kind == .object
        else { return false }
        return root.members.isEmpty || isMarked(root) || root["data"].map(isMarked) == true
    }

    private static func isMarked(_ node: JSONNode) -> Bool {
        node.has("loc_key") || node.has("custom") || node.has("user_id") || node.has("p")
    }

    /// A payload in clear may show something, but nothing else.
    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        let events = allEvents(payload, context)
        guard context.level == .clear else { return events }
        return events.map { event in
            switch event {
            case .message, .refused, .ignored, .call: event
            default: .ignored
            }
        }
    }

    private static func allEvents(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        do throws(TelegramRefusal) {
            let push = try TelegramPush(
                payload, for: context.accountID, isTolerant: context.policy == .learn)
            guard let push else {
                // A payload without content may still mean that there is news to fetch.
                let isEmpty = payload.elementsEqual("{}".utf8)
                return isEmpty && context.policy == .learn
                    ? [.fetchRequired(reason: "empty", details: [])] : [.ignored]
            }
            return try events(push, context)
        } catch {
            return [.refused(code: error.code, message: error.message)]
        }
    }

    private static func events(
        _ push: TelegramPush, _ context: DialectContext
    ) throws(TelegramRefusal) -> [Event] {
        if let events = try serviceEvents(push, context) { return events }
        guard let chatID = push.chatID else { return try eventsWithoutChat(push, context) }
        if let events = try historyEvents(push, chatID, context) { return events }
        return try messageEvents(push, chatID, context)
    }

    /// Keys about the account, not a chat.
    private static func serviceEvents(
        _ push: TelegramPush, _ context: DialectContext
    ) throws(TelegramRefusal) -> [Event]? {
        switch push.key {
        case "SESSION_REVOKE":
            guard context.level == .mtproto else { return [.ignored] }
            return [.sessionRevoked(dates: try push.allDates)]
        case "LOCKED_MESSAGE", "AUTH_REGION", "AUTH_UNKNOWN":
            return context.policy == .learn ? described(push, nil, context) : [.ignored]
        case "DC_UPDATE": return [try dcUpdate(push, context)]
        case "GEO_LIVE_PENDING": return [.liveLocationsNeeded]
        case "MESSAGE_ANNOUNCEMENT":
            var text = try push.fields.text("message") ?? ""
            if text.isEmpty, context.policy == .learn {
                text = push.fields["announcement"]?.text ?? ""
            }
            guard !text.isEmpty else { throw .malformed("Receive empty announcement message text") }
            return [.announcement(id: Int64(try push.custom.int("announcement")), text: text)]
        case "OAUTH_REQUEST":
            let url = try push.custom.requiredText("data_url")
            guard !url.isEmpty, push.arguments.count >= 2 else { return [.ignored] }
            return [.fetchRequired(reason: "oauth_request", details: details(push))]
        default: return nil
        }
    }

    private static func dcUpdate(
        _ push: TelegramPush, _ context: DialectContext
    ) throws(TelegramRefusal) -> Event {
        let dc = try push.custom.int("dc")
        guard 1...1000 ~= dc else { throw .malformed("Invalid datacenter identifier") }
        let address = try push.custom.requiredText("addr")
        // TDLib reports no code here; our clients get one.
        let code = context.policy == .strict ? 0 : 400
        guard let colon = address.lastIndex(of: ":") else {
            throw TelegramRefusal(code: code, message: "Can't split string into host and port")
        }
        let port = address[address.index(after: colon)...]
        guard isAddress(address[..<colon]), let number = UInt16(port), number > 0 else {
            throw TelegramRefusal(code: code, message: "Receive invalid datacenter address")
        }
        return .dcUpdate(dc: dc, address: address)
    }

    /// IPv6 stands in brackets.
    private static func isAddress(_ host: Substring) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]") else {
            return !host.contains(":") && IPAddress(String(host)) != nil
        }
        return host.contains(":") && IPAddress(String(host.dropFirst().dropLast())) != nil
    }

    private static func eventsWithoutChat(
        _ push: TelegramPush, _ context: DialectContext
    ) throws(TelegramRefusal) -> [Event] {
        if push.key == "MESSAGE_MUTED", context.policy == .learn { return muted(push) }
        let isShown = push.key.hasPrefix("ENCRYPT") || push.key == "STORY_HIDDEN_AUTHOR"
        if isShown, context.policy == .learn { return described(push, nil, context) }
        if push.key == "ENCRYPTED_MESSAGE" || push.key == "MESSAGE_MUTED" {
            throw .unsupported("Force loading data from the server")
        }
        throw .malformed("Can't find chat identifier")
    }

    /// Keys about what was read or deleted.
    private static func historyEvents(
        _ push: TelegramPush, _ chatID: ChatID, _ context: DialectContext
    ) throws(TelegramRefusal) -> [Event]? {
        let isSecret = chatID.kind == .secret
        switch push.key {
        case "READ_HISTORY":
            guard !isSecret else { throw .malformed("Receive read history in a secret chat") }
            let last = try push.custom.int("max_id")
            guard last > 0 else { throw .malformed("Receive invalid max_id") }
            return [.read(.id(chatID), upTo: ChatMessageID(server: Int64(last)))]
                + unread(push, context)
        case "MESSAGE_DELETED":
            guard !isSecret else { throw .malformed("Receive MESSAGE_DELETED in a secret chat") }
            return [.deleted(.id(chatID), try deletedMessages(push))] + unread(push, context)
        case "READ_STORIES":
            guard try push.custom.int("max_id") > 0 else {
                throw .malformed("Receive invalid max_id")
            }
            return [.ignored]
        case "STORY_DELETED":
            guard isSecret || context.policy == .learn else {
                throw .malformed("Receive STORY_DELETED in a secret chat")
            }
            return [.ignored]
        case "MESSAGE_MUTED":
            if context.policy == .learn { return muted(push) }
            throw .unsupported(
                "Notifications about muted messages force loading data from the server")
        default: return nil
        }
    }

    /// The number of unread messages. Since muted chats might be missing from it, 0 does not clear
    /// the screen.
    private static func unread(_ push: TelegramPush, _ context: DialectContext) -> [Event] {
        guard context.policy == .learn, let badge = push.fields["badge"]?.integer, badge >= 0 else {
            return []
        }
        return [.unread(badge)]
    }

    private static func deletedMessages(
        _ push: TelegramPush
    ) throws(TelegramRefusal) -> [ChatMessageID] {
        let list = try push.custom.requiredText("messages")
        if list.isEmpty { return [] }
        var ids: [ChatMessageID] = []
        for text in list.split(separator: ",", omittingEmptySubsequences: false) {
            let id: Int32 = try TelegramNumber.strict(text)
            guard id > 0 else { throw .malformed("Receive invalid message identifier") }
            ids.append(ChatMessageID(server: Int64(id)))
        }
        return ids
    }

    /// Messages in a muted chat are only counted; the client may fetch them.
    private static func muted(_ push: TelegramPush) -> [Event] {
        badge(push) + [.fetchRequired(reason: "message_muted", details: details(push))]
    }

    /// What the client needs to fetch the news: the payload's values, written again.
    static func details(_ push: TelegramPush) -> [Update.Detail] {
        var details = [Update.Detail("loc_key", source: JSONText.quoted(push.key))]
        for name in ["call_id", "call_ah", "updates", "encryption_id", "random_id", "data_url"] {
            let member = push.custom.node?.members.first { $0.name == name }
            guard let member, !member.value.isTooNested else { continue }
            details.append(Update.Detail(name, source: JSONText.anew(member.value)))
        }
        return details
    }
}
