import Base

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
