package import Base

/// The client's requests, named as in TDLib.
extension Engine {
    /// Nil for a request that the engine does not know; its host may.
    package mutating func handle(_ request: JSONNode, now: Double) -> Outcome? {
        advance(to: now)
        if let refusal = Self.refusal(of: request) { return refusal }
        let type = request["@type"]?.text ?? ""
        if isClosed { return .aborted }
        if type.hasPrefix("bellwire.") { return handleOwn(type, request) }
        switch type {
        case "setOption": return setOption(request)
        case "getOption": return .object(answer { $0.option(clientOption(request)) })
        case "removeNotification": return byUser { $0.removeNotification(request) }
        case "removeNotificationGroup": return byUser { $0.removeNotificationGroup(request) }
        case "setChatNotificationSettings", "getChatNotificationSettings",
            "setScopeNotificationSettings", "getScopeNotificationSettings",
            "setForumTopicNotificationSettings", "setReactionNotificationSettings",
            "resetAllNotificationSettings":
            return handleSettings(type, request)
        case "viewMessages", "openChat", "closeChat", "getChat", "setChatDraftMessage",
            "clearAllDraftMessages", "toggleChatIsMarkedAsUnread", "readAllChatMentions",
            "toggleChatDefaultDisableNotification", "readAllChatReactions", "readAllChatPollVotes":
            return handleChat(type, request)
        case "getMessageLocally": return message(request)
        case "getUser", "getMe": return user(type, request)
        case "getCurrentState": return .object(currentState())
        case "registerDevice": return registerDevice(request, secret: nil, now: now)
        case "close": close(now: now)
        case "logOut", "destroy": logOut()
        default: return Outcome(plainRequest: type, request)
        }
        return .ok
    }

    private mutating func setOption(_ request: JSONNode) -> Outcome {
        let name = request["name"]?.text ?? ""
        let isSettable = OptionName.isSettable(name) || account.policy == .learn
        guard !name.isEmpty, isSettable else { return .badRequest("Option can't be set") }
        guard let value = OptionValue(request["value"]) else {
            return .badRequest("Option value is invalid")
        }
        return setOption(name, to: value)
    }

    private mutating func removeNotification(_ request: JSONNode) -> Outcome {
        guard let groupID = request.id("notification_group_id") else {
            return .badRequest("Notification group identifier is invalid")
        }
        guard let id = request.id("notification_id") else {
            return .badRequest("Notification identifier is invalid")
        }
        removeByUser(id, in: groupID)
        return .ok
    }

    mutating func removeByUser(_ id: Notification.ID, in groupID: NotificationGroup.ID) {
        userRemoves(upTo: id, in: groupID, isSingle: true)
        if let group = account.groups[groupID], let index = group.firstIndex(of: id),
            group.notifications[index].isTemporary
        {
            // The real message must not appear in its place.
            bar(group.notifications[index].messageID, in: group.chatID)
        }
        forgetCall(of: id, in: groupID)
        remove(id, from: groupID, isPermanent: false, isForced: true)
    }

    private mutating func removeNotificationGroup(_ request: JSONNode) -> Outcome {
        guard let groupID = request.id("notification_group_id") else {
            return .badRequest("Group identifier is invalid")
        }
        guard let last = request.id("max_notification_id") else {
            return .badRequest("Notification identifier is invalid")
        }
        userRemoves(upTo: min(last, account.lastNotificationID), in: groupID, isSingle: false)
        for notification in account.groups[groupID]?.notifications ?? []
        where notification.id <= last {
            forgetCall(of: notification.id, in: groupID)
        }
        removeAll(in: groupID, isForced: true, totalCount: nil) { $0.id <= last }
        return .ok
    }

    /// Remembers what the user has removed, so that it does not return.
    private mutating func userRemoves(
        upTo id: Notification.ID, in groupID: NotificationGroup.ID, isSingle: Bool
    ) {
        guard let group = account.groups[groupID] else { return }
        openGate(of: group.chatID)
        guard !isSingle, account.chats[group.chatID]?.messageGroupID == groupID else { return }
        let gone = group.notifications.filter { $0.id <= id }.map(\.messageID).max() ?? .none
        let known = account.chats[group.chatID]?.maxRemovedMessageID ?? .none
        account.chats[group.chatID]?.maxRemovedMessageID = max(gone, known)
    }

    /// The message, if a notification holds it or the client has supplied it lately.
    private func message(_ request: JSONNode) -> Outcome {
        if let chatID = request.chatID("chat_id"), let messageID = request.messageID("message_id"),
            let chat = account.chats[chatID]
        {
            for groupID in [chat.messageGroupID, chat.mentionGroupID] {
                guard let found = notification(of: messageID, in: groupID),
                    case .newMessage(let message, _) = found.content
                else { continue }
                return .object(String(decoding: message.source, as: UTF8.self))
            }
            let kept =
                pinnedMessage(messageID, in: chatID)
                ?? account.recentMessages.message(messageID, in: chatID)
            if let kept { return .object(String(decoding: kept.source, as: UTF8.self)) }
        }
        return .error(code: 404, message: "Not Found")
    }
}

extension JSONNode {
    /// A positive 32-bit identifier.
    func id(_ name: StaticString) -> Int32? {
        self[name]?.integer.flatMap { $0 > 0 ? Int32(exactly: $0) : nil }
    }

    func chatID(_ name: StaticString) -> ChatID? {
        self[name]?.integer.flatMap(ChatID.init(named:))
    }

    func messageID(_ name: StaticString) -> ChatMessageID? {
        self[name]?.integer.flatMap(ChatMessageID.init(named:))
    }

    /// The valid message identifiers of a list.
    func messageIDs(_ name: StaticString) -> [ChatMessageID] {
        (self[name]?.elements ?? []).compactMap { $0.integer.flatMap(ChatMessageID.init(named:)) }
    }

    /// Seconds since 1970, at most the year 9999.
    func date(_ name: StaticString) -> Int64? {
        self[name]?.integer.map { min(max($0, Int64(Int32.min)), latestDate) }
    }

    /// A number other than 0 counts as true, too.
    package func flag(_ name: StaticString) -> Bool {
        guard let value = self[name] else { return false }
        return value.bool ?? value.integer.map { $0 != 0 } ?? false
    }
}

extension OptionValue {
    init?(_ node: JSONNode?) {
        guard let node, node.kind != .null else {
            self = .empty
            return
        }
        switch node["@type"]?.text {
        case "optionValueBoolean": self = .boolean(node.flag("value"))
        case "optionValueInteger":
            self = .integer(node["value"]?.integer ?? 0)
        case "optionValueString": self = .string(node["value"]?.text ?? "")
        case "optionValueEmpty": self = .empty
        default: return nil
        }
    }
}
