import Base

/// Why TDLib refuses a request about a chat.
struct RequestRefusal: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Requests about one chat. They are checked in TDLib's order.
extension Engine {
    mutating func handleChat(_ type: String, _ request: JSONNode) -> Outcome {
        do throws(RequestRefusal) {
            switch type {
            case "openChat":
                let chatID = try knownChat(request)
                openChats[chatID, default: 0] += 1
                closeSecretChatNotice(chatID)
            case "closeChat": closeChat(try knownChat(request))
            case "viewMessages": try viewMessages(request)
            case "setChatDraftMessage": try setDraft(request)
            case "clearAllDraftMessages":
                clearDrafts(keepsSecret: request.flag("exclude_secret_chats"))
            case "toggleChatIsMarkedAsUnread":
                markUnread(try accessibleChat(request), request.flag("is_marked_as_unread"))
            case "toggleChatDefaultDisableNotification":
                let isSilent = request.flag("default_disable_notification")
                change(
                    \.isSilentByDefault, of: try accessibleChat(request), to: isSilent,
                    "updateChatDefaultDisableNotification", "default_disable_notification")
            case "getChat": return .object(chat(try accessibleChat(request)))
            default: return try readAll(type, request)
            }
            return .ok
        } catch { return .badRequest(error.message) }
    }

    func knownChat(_ request: JSONNode) throws(RequestRefusal) -> ChatID {
        guard let chatID = request.chatID("chat_id"), account.chats[chatID] != nil else {
            throw RequestRefusal("Chat not found")
        }
        return chatID
    }

    /// Some requests tell chats that nobody can have from unknown ones.
    func accessibleChat(_ request: JSONNode) throws(RequestRefusal) -> ChatID {
        let id = request["chat_id"]?.integer ?? 0
        guard account.chats[ChatID(id)] != nil || ChatID.isTelegrams(id) else {
            throw RequestRefusal("Invalid chat identifier specified")
        }
        return try knownChat(request)
    }

    private mutating func closeChat(_ chatID: ChatID) {
        guard let count = openChats[chatID] else { return }
        openChats[chatID] = count > 1 ? count - 1 : nil
    }

    private mutating func viewMessages(_ request: JSONNode) throws(RequestRefusal) {
        let chatID = try accessibleChat(request)
        let source = source(of: request, in: chatID)
        let ids = try viewedMessages(request["message_ids"]?.elements ?? [], from: source)
        guard !ids.isEmpty, source != .chatEventLog, let chat = account.chats[chatID] else {
            return
        }
        switch source {
        case .messageThreadHistory where chat.kind != .supergroup:
            throw RequestRefusal("There are no message threads in the chat")
        // The engine knows no forum, and no direct messages of a channel.
        case .forumTopicHistory: throw RequestRefusal("Chat is not a forum")
        case .directMessagesChatTopicHistory:
            throw RequestRefusal("Chat is not a channel direct messages chat")
        default: break
        }
        guard !source.isTopic, source == .chatHistory || request.flag("force_read") else { return }
        // An unknown message cannot have been seen, nor one that was never sent.
        let known = max(chat.lastPushMessage, chat.lastMessage)
        if let last = ids.filter({ $0 <= known && $0.form != .unsent }).max() {
            markRead(chatID, upTo: last, level: .mtproto, isForced: true)
        }
        markUnread(chatID, false)
    }

    /// Without a source TDLib counts messages as read if the chat is open. An account without a
    /// client of its own has nobody who opens chats.
    private func source(of request: JSONNode, in chatID: ChatID) -> MessageSource {
        let name = request["source"]?["@type"]?.text
        if let source = name.flatMap({ MessageSource(named: $0) }) { return source }
        let isOpen = openChats[chatID] != nil || account.policy == .learn
        return isOpen ? .chatHistory : .other
    }

    /// Without scheduled messages and advertisements, which are never read.
    private func viewedMessages(
        _ elements: [JSONNode], from source: MessageSource
    ) throws(RequestRefusal) -> [ChatMessageID] {
        var ids: [ChatMessageID] = []
        for element in elements {
            let id = ChatMessageID(element.integer ?? 0)
            switch id.form {
            case .server, .local, .unsent: ids.append(id)
            case .scheduled: continue
            case .sponsored where source.showsSponsored: continue
            case .sponsored:
                throw RequestRefusal("Can't view the message from the specified source")
            case nil: throw RequestRefusal("Invalid message identifier")
            }
        }
        return ids
    }

    private mutating func markUnread(_ chatID: ChatID, _ isUnread: Bool) {
        change(
            \.isMarkedUnread, of: chatID, to: isUnread, "updateChatIsMarkedAsUnread",
            "is_marked_as_unread")
    }

    /// Tells all clients of it by an update of this type and with this member.
    private mutating func change(
        _ mark: WritableKeyPath<Chat, Bool>, of chatID: ChatID, to value: Bool, _ type: String,
        _ member: StaticString
    ) {
        guard let chat = account.chats[chatID], chat[keyPath: mark] != value else { return }
        account.chats[chatID]?[keyPath: mark] = value
        updates.append(news(type, of: chatID) { $0.member(member, value) })
    }

    /// What is shown goes at once; only the server can do the rest.
    private mutating func readAll(
        _ type: String, _ request: JSONNode
    ) throws(RequestRefusal) -> Outcome {
        let chatID = try accessibleChat(request)
        guard let chat = account.chats[chatID], chat.kind != .secret else { return .ok }
        if type == "readAllChatMentions" {
            removeAll(in: chat.mentionGroupID, isForced: true, totalCount: { _ in 0 }) { _ in true }
            removeSleeping(in: chat.mentionGroupID) { _ in true }
        }
        return .needsServer
    }

    /// What all clients are told of a change.
    func news(
        _ type: String, of chatID: ChatID? = nil, _ members: (inout JSONWriter) -> Void
    ) -> Update {
        .changed(
            json: answer { writer in
                writer.object { writer in
                    writer.member("@type", type)
                    if let chatID { writer.member("chat_id", Int(chatID.rawValue)) }
                    members(&writer)
                }
            })
    }
}

extension Outcome {
    /// The answer to what only Telegram's server knows or can do.
    package static let needsServer = Outcome.error(
        code: 406, message: "Only the server can answer this request")
}
