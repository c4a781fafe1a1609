/// Calls ring, time out and become missed.
extension Engine {
    private static let groupLimit = 10
    private static let callsPerChat = 10
    /// Calls stand before everything else.
    private static let lead: Int32 = 120

    /// What the client says about a call it watches over.
    mutating func setCall(_ id: Int32, chatID: ChatID, isPending: Bool) {
        if !isPending { return endCall(id) }
        guard account.calls[id] == nil else { return }
        _ = ring(id, chatID: chatID, level: .mtproto)
        account.lastCallID = max(account.lastCallID, id)
    }

    mutating func process(_ call: IncomingCall, level: TrustLevel) -> Outcome {
        guard level > .clear || account.source.notifyMode != .disabled else { return .ok }
        var message = IncomingMessage(
            chat: call.chat, content: PushContent(.text, text: call.missedText))
        message.chatTitle = call.isGroup ? "" : call.callerName
        message.isGroup = call.isGroup
        guard let chatID = introduce(message) else { return .ok }
        switch call.stage {
        case .requested:
            let isRinging = account.calls.values.contains { $0.chatID == chatID }
            guard !isRinging, muteEnd(of: chatID) <= Int32(clamping: Int64(now)) else {
                return .ok
            }
            account.lastCallID += 1
            guard ring(account.lastCallID, chatID: chatID, level: level, name: call.name) else {
                return .ok
            }
            account.calls[account.lastCallID]?.deadline = now + RingingCall.ringTime
            account.calls[account.lastCallID]?.callerName = call.callerName
        case .declined: endCalls(in: chatID, level: level)
        case .missed:
            endCalls(in: chatID, level: level)
            showMissed(call.missedText, call.callerName, in: chatID, level: level)
        }
        return .ok
    }

    private mutating func ring(
        _ id: Int32, chatID: ChatID, level: TrustLevel, name: String = ""
    ) -> Bool {
        guard order.limit > 0, let groupID = callGroup(of: chatID) else { return false }
        let isAdded = add(
            .newCall(id: id), to: groupID,
            Arrival(
                date: Int32(clamping: Int64(now)) + Self.lead, settingsChatID: chatID,
                soundID: -1, isSilent: false, level: level, name: name))
        guard isAdded else { return false }
        account.calls[id] = RingingCall(
            chatID: chatID, groupID: groupID, notificationID: account.lastNotificationID,
            deadline: nil, callerName: account.chats[chatID]?.title ?? "", level: level)
        if !name.isEmpty {
            account.names[name] = NamedNotification(
                groupID: groupID, notificationID: account.lastNotificationID, order: nil,
                date: Int32(clamping: Int64(now)))
        }
        flushPending(groupID, isForced: true)
        return true
    }

    /// Groups for calls come from a small pool, whatever became of the chat they served before.
    private mutating func callGroup(of chatID: ChatID) -> NotificationGroup.ID? {
        let ringing = account.calls.values.filter { $0.chatID == chatID }
        if let known = ringing.first?.groupID {
            return ringing.count < Self.callsPerChat ? known : nil
        }
        let id: NotificationGroup.ID
        if let free = account.freeCallGroups.popLast() {
            id = free
        } else if account.callGroupCount < Self.groupLimit {
            account.callGroupCount += 1
            account.lastGroupID += 1
            id = account.lastGroupID
        } else {
            return nil
        }
        account.groups[id] = NotificationGroup(id: id, kind: .calls, chatID: chatID)
        return id
    }

    mutating func endCall(_ id: Int32) {
        guard let call = account.calls.removeValue(forKey: id) else { return }
        remove(call.notificationID, from: call.groupID, isPermanent: true, isForced: true)
        let isFree = !account.calls.values.contains { $0.groupID == call.groupID }
        if isFree { account.freeCallGroups.append(call.groupID) }
    }

    private mutating func endCalls(in chatID: ChatID, level: TrustLevel) {
        let ids = account.calls.filter { $0.value.chatID == chatID && $0.value.level <= level }
        for id in ids.keys.sorted() { endCall(id) }
    }

    /// Calls that have rung long enough become missed.
    mutating func endCalls() {
        guard !account.calls.isEmpty else { return }
        for (id, call) in account.calls.sorted(by: { $0.key < $1.key }) {
            guard let deadline = call.deadline, deadline <= now else { continue }
            endCall(id)
            showMissed(
                "You missed a call from \(call.callerName)", call.callerName, in: call.chatID,
                level: call.level)
        }
    }

    private mutating func showMissed(
        _ text: String, _ caller: String, in chatID: ChatID, level: TrustLevel
    ) {
        var message = IncomingMessage(
            chat: .id(chatID), content: PushContent(.text, text: text))
        message.sender = chatID.kind == .user ? .user(chatID.rawValue) : nil
        message.senderName = caller
        message.isSilent = true
        message.presentation = Presentation(title: caller, body: text)
        _ = process(message, level: level)
    }

    /// The user dismissed the call: it rings no more.
    mutating func forgetCall(of notificationID: Notification.ID) {
        let call = account.calls.first { $0.value.notificationID == notificationID }
        guard let call else { return }
        account.calls[call.key] = nil
        account.freeCallGroups.append(call.value.groupID)
    }
}
