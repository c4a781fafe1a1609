import Base

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
            ] + (message.presentation?.actions.map(\.name) ?? [])
        }
    }
}
