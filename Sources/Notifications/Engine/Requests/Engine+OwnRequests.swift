import Base

/// Requests beyond TDLib's, for a client that owns the data.
extension Engine {
    mutating func handleOwn(_ type: String, _ request: JSONNode) -> Outcome? {
        switch type {
        case "bellwire.setMe":
            return setUser(request["user_id"]?.integer ?? 0)
        case "bellwire.setChatPolicy":
            guard let policy = request["policy"]?.text.flatMap(ChatPolicy.init) else {
                return .badRequest("Policy must be strict or learn")
            }
            account.policy = policy
        case "bellwire.setOnline":
            setOnline(
                isOnline: request.flag("self"),
                othersOnlineSince: request["others_online_since"]?.integer.map(Double.init))
        case "bellwire.setFetching":
            setFetching(request.flag("active"), isAbandoned: request.flag("abandoned"))
        case "bellwire.release": flushEverything()
        case "bellwire.actionTaken", "bellwire.rawPushTaken", "bellwire.heard", "bellwire.setRaw":
            return handleOwed(type, request)
        case "bellwire.getChats": return .object(chats(request))
        case "bellwire.muteChat": return muteChat(request)
        case "bellwire.pause": return pause(request)
        case "bellwire.setSource": return setSource(request)
        case "bellwire.invokeNotificationAction": return byUser { $0.invokeAction(request) }
        case "bellwire.setCall":
            guard let id = request.id("call_id"), let chatID = chatID(request) else {
                return .badRequest("Call identifier or chat is invalid")
            }
            setCall(id, chatID: chatID, isPending: request["state"]?.text == "pending")
        case "bellwire.setChat", "bellwire.removeChat", "bellwire.addSecretChat",
            "bellwire.removeSecretChat":
            guard let chatID = chatID(request) else {
                return .badRequest("Chat identifier is invalid")
            }
            handleChat(type, chatID, request)
        case "bellwire.addMessage", "bellwire.editMessage", "bellwire.deleteMessages",
            "bellwire.setPinnedMessage":
            return handleMessages(type, request)
        default: return nil
        }
        return .ok
    }

    private func chatID(_ request: JSONNode) -> ChatID? { request.chatID("chat_id") }

    private mutating func handleChat(_ type: String, _ chatID: ChatID, _ request: JSONNode) {
        switch type {
        case "bellwire.setChat": setChat(chatID, request)
        case "bellwire.addSecretChat":
            addSecretChat(
                chatID, title: Chat.title(request["title"]?.text ?? ""),
                date: acceptedDate(request.date("date").map { [$0] } ?? []))
        case "bellwire.removeSecretChat": removeSecretChat(chatID)
        default:
            guard let chat = account.chats[chatID] else { return }
            for groupID in [chat.messageGroupID, chat.mentionGroupID] {
                removeAll(in: groupID, isForced: true, totalCount: { _ in 0 }) { _ in true }
            }
            account.chats[chatID]?.isClosed = true
        }
    }

    /// Absent members change nothing.
    private mutating func setChat(_ chatID: ChatID, _ request: JSONNode) {
        var chat = account.chats[chatID] ?? Chat(chatID)
        chat.isListed = true
        chat.isClosed = false
        if let title = request["title"]?.text {
            chat.title = Chat.title(title)
            chat.titleLevel = .mtproto
        }
        switch request["type"]?.text {
        case "private": chat.kind = .privateChat
        case "basic_group", "basicGroup": chat.kind = .basicGroup
        case "supergroup": chat.kind = .supergroup
        case "channel": chat.kind = .channel
        case "secret": chat.kind = .secret
        default: break
        }
        if let mayPost = request["can_post_messages"]?.bool { chat.mayPost = mayPost }
        account.chats[chatID] = chat
        if let last = request.messageID("last_read_inbox_message_id") {
            markRead(chatID, upTo: last, level: .mtproto, isForced: false)
        }
        if let unread = request["unread_count"]?.integer {
            // Muted chats are not counted.
            let isMuted = Double(muteEnd(of: chatID)) > now
            setTotalCount(of: chat.messageGroupID, unread: isMuted ? 0 : unread)
        }
        if let unread = request["unread_mention_count"]?.integer {
            let isPinShown = account.chats[chatID]?.pinnedNotification.isNone == false
            setTotalCount(of: chat.mentionGroupID, unread: unread, more: isPinShown ? 1 : 0)
        }
    }

    /// The unread messages the client counts, plus those known only from pushes.
    private mutating func setTotalCount(
        of groupID: NotificationGroup.ID, unread: Int64, more: Int = 0
    ) {
        guard let group = account.groups[groupID], !group.isComplete else { return }
        let pushed = group.notifications.reversed().prefix(while: \.isTemporary).count
        let count = Int(Int32(clamping: unread)) + more + pushed - group.pending.count
        guard count >= group.notifications.count, count != group.totalCount else { return }
        account.groups[groupID]?.totalCount = count
        notificationsLeft(groupID, added: [], removed: [], isForced: false)
    }

    private mutating func handleMessages(_ type: String, _ request: JSONNode) -> Outcome {
        if type == "bellwire.addMessage" || type == "bellwire.editMessage" {
            guard let message = request["message"].flatMap(LoadedMessage.init(reading:)) else {
                return .badRequest("Message is invalid")
            }
            if type == "bellwire.addMessage" { return addMessage(message) }
            editMessage(message)
            return .ok
        }
        guard let chatID = chatID(request) else { return .badRequest("Chat not found") }
        if type == "bellwire.deleteMessages" {
            deleteMessages(request.messageIDs("message_ids"), in: chatID)
        } else if let node = request["message"] {
            guard let message = LoadedMessage(reading: node), message.chatID == chatID else {
                return .badRequest("Message is invalid")
            }
            account.chats[chatID]?.pinnedMessage = message.stored
            updatePins(of: message.id, in: chatID)
        } else {
            updatePins(of: .none, in: chatID)
        }
        return .ok
    }
}

extension LoadedMessage {
    /// Reads what the engine has to know from TDLib's `message` object.
    init?(reading node: JSONNode) {
        guard let id = node.messageID("id"), let chatID = node.chatID("chat_id"),
            !node.isTooNested
        else { return nil }
        self.chatID = chatID
        self.id = id
        date = node.date("date") ?? 0
        let sender = node["sender_id"]
        if let user = sender?["user_id"]?.integer, 1..<ChatID.userLimit ~= user {
            self.sender = .user(user)
        } else if let chat = sender?.chatID("chat_id") {
            self.sender = .chat(chat)
        }
        isOutgoing = node.flag("is_outgoing")
        isMention = node.flag("contains_unread_mention")
        isSilent = node.flag("disable_notification")
        let content = node["content"]?["@type"]?.text ?? ""
        isPin = content == "messagePinMessage"
        if isPin { pinned = node["content"]?.messageID("message_id") ?? .none }
        isQuietChange = [
            "messageChatChangeTitle", "messageChatChangePhoto", "messageChatDeletePhoto",
            "messageChatJoinByLink", "messageChatAddMembers", "messageChatDeleteMember",
        ].contains(content)
        var writer = JSONWriter(capacity: node.source.count)
        writer.value(node)
        source = writer.bytes
    }
}

/// What the user does with a notification besides dismissing it.
extension Engine {
    /// Announces which action the user chose. The notification is removed, and so are the earlier
    /// ones read with it.
    mutating func invokeAction(_ request: JSONNode) -> Outcome {
        guard let groupID = request.id("notification_group_id") else {
            return .badRequest("Notification group identifier is invalid")
        }
        guard let id = request.id("notification_id") else {
            return .badRequest("Notification identifier is invalid")
        }
        guard let group = account.groups[groupID], let index = group.firstIndex(of: id) else {
            return .error(code: 404, message: "Notification not found")
        }
        let notification = group.notifications[index]
        let action = request["action"]?.text ?? ""
        guard notification.actions.contains(action) else {
            return .badRequest("Notification has no such action")
        }
        let text = action == NotificationAction.reply ? request["text"]?.text ?? "" : nil
        if let text, text.isEmpty { return .badRequest("Text must be non-empty") }
        let token = request["activation_token"]?.text ?? ""
        guard token.utf8.count <= Self.longestToken else {
            return .badRequest("Activation token is too long")
        }
        var chosen = ChosenAction(
            chatID: group.chatID, messageID: notification.messageID, action: action, text: text)
        chosen.date = Int64(time: now)
        chosen.activationToken = token
        describe(&chosen, notification)
        guard let owed = account.owed.add(chosen, at: now) else {
            return .error(code: 429, message: "Too Many Requests: actions wait to be taken")
        }
        updates.append(.notificationAction(owed))
        let messageID = chosen.messageID
        if !messageID.isNone {
            markRead(group.chatID, upTo: messageID, level: .mtproto, isForced: true)
        }
        removeByUser(id, in: groupID)
        return .ok
    }

    private static let longestToken = 256

    private func describe(_ action: inout ChosenAction, _ notification: Notification) {
        switch notification.content {
        case .newCall(let id, let ownID):
            action.messageID = .none
            action.callID = ownID.isEmpty ? String(id) : ownID
            action.data = account.calls[id]?.data ?? ""
        case .newPushMessage(let message): action.data = message.presentation?.data ?? ""
        case .newMessage, .newSecretChat: break
        }
    }
}

extension Notification {
    /// A notification that came in clear may be from anybody and can only be dismissed.
    fileprivate var actions: [String] {
        guard mayAct else { return [] }
        switch content {
        case .newCall: return [NotificationAction.accept, NotificationAction.decline]
        case .newSecretChat: return [NotificationAction.open]
        case .newMessage:
            return [
                NotificationAction.open, NotificationAction.reply, NotificationAction.markRead,
            ]
        case .newPushMessage(let message):
            return [
                NotificationAction.open, NotificationAction.reply, NotificationAction.markRead,
            ] + (message.presentation?.actions ?? []).filter { $0.kind == .own }.map(\.name)
        }
    }
}
