/// Calls: ringing, timing out, being missed.
extension Engine {
    private static let groupLimit = 10
    private static let callsPerChat = 10
    /// Puts calls ahead of everything else in the list, in seconds.
    private static let lead: Int64 = 120

    /// The client starts or ends a call that it watches itself.
    mutating func setCall(_ id: Int32, chatID: ChatID, isPending: Bool) {
        let pushed = account.calls.first { $0.value.chatID == chatID && $0.value.deadline != nil }
        guard isPending else {
            endCall(id)
            if let pushed { endCall(pushed.key) }
            return
        }
        guard account.calls[id] == nil else { return }
        guard let pushed else {
            _ = ring(id, chatID: chatID, level: .mtproto)
            return
        }
        // It rings already because of a push; from now on the client watches it.
        account.calls[pushed.key] = nil
        account.calls[id] = pushed.value
        account.calls[id]?.deadline = nil
        account.calls[id]?.level = .mtproto
        change(
            pushed.value.notificationID, in: pushed.value.groupID, to: .newCall(id: id, ownID: ""),
            level: .mtproto, isForced: true)
    }

    mutating func process(_ call: IncomingCall, level: TrustLevel) -> Outcome {
        if call.stage == .requested, isSilenced || isSettled(call, level) { return .ok }
        var message = IncomingMessage(
            chat: call.chat, content: PushContent(.text, text: call.missedText))
        message.chatTitle = call.isGroup ? "" : call.callerName
        message.isGroup = call.isGroup
        guard let chatID = introduce(message, level: level) else { return .ok }
        switch call.stage {
        case .requested:
            // A call announced by a weaker push is replaced.
            for (id, ringing) in account.calls
            where ringing.chatID == chatID && ringing.level < level {
                endCall(id)
            }
            let isRinging = account.calls.values.contains { $0.chatID == chatID }
            guard !isRinging, muteEnd(of: chatID) <= Int64(time: now) else { return .ok }
            let id = freeCallID()
            guard ring(id, chatID: chatID, level: level, call) else { return .ok }
            account.calls[id]?.deadline = now + RingingCall.ringTime
            account.calls[id]?.callerName = call.callerName
            account.calls[id]?.missedText = call.missedText
            account.calls[id]?.data = call.data
        case .declined: _ = endCalls(in: chatID, level: level)
        case .missed:
            let hasRung = hasRung(call, in: chatID)
            guard endCalls(in: chatID, level: level) else { return .ok }
            showMissed(
                call.afterwards, in: chatID, level: level, isSilent: call.isSilent || hasRung)
        }
        return .ok
    }

    /// Whether the call rings here, or has just been shown as missed: then it made its sound.
    private func hasRung(_ call: IncomingCall, in chatID: ChatID) -> Bool {
        if account.calls.values.contains(where: { $0.chatID == chatID }) { return true }
        let groupID = account.chats[chatID]?.messageGroupID ?? 0
        guard let last = account.groups[groupID]?.notifications.last,
            case .newPushMessage(let message) = last.content
        else { return false }
        return message.presentation?.body == call.missedText && last.isSilent
            && Double(last.date) > now - RingingCall.ringTime
    }

    /// Counts down from the largest number, away from the identifiers that the client gives to calls,
    /// and leaves out those that it gave all the same.
    private mutating func freeCallID() -> Int32 {
        repeat {
            account.lastCallID = following(account.lastCallID)
        } while account.calls[.max - account.lastCallID] != nil
        return .max - account.lastCallID
    }

    /// Whether a call need not ring, because of what already has its name.
    private mutating func isSettled(_ call: IncomingCall, _ level: TrustLevel) -> Bool {
        switch place(of: call, level) {
        case .free: return false
        case .taken: return true
        case .heir(let old, let groupID):
            let ringing = account.calls.first { $0.value.notificationID == old.id }
            guard let ringing else {
                makeWay(old, in: groupID)
                return false
            }
            // A repetition changes nothing; a different text replaces what is shown after the call.
            guard ringing.value.afterwards != call.afterwards else { return true }
            endCall(ringing.key)
            showMissed(call.afterwards, in: ringing.value.chatID, level: level)
            return true
        }
    }

    private mutating func ring(
        _ id: Int32, chatID: ChatID, level: TrustLevel, _ call: IncomingCall? = nil
    ) -> Bool {
        let name = call?.name ?? ""
        guard order.limit > 0, let groupID = callGroup(of: chatID) else { return false }
        let isAdded = add(
            .newCall(id: id, ownID: call?.ownID ?? ""), to: groupID,
            Arrival(
                date: Int64(time: now) + Self.lead, settingsChatID: chatID,
                soundID: isPaused ? 0 : -1, isSilent: isPaused, level: level, name: name))
        guard isAdded else { return false }
        account.calls[id] = RingingCall(
            chatID: chatID, groupID: groupID, notificationID: account.lastNotificationID,
            level: level, isTrusted: isTrusted)
        if !name.isEmpty {
            account.names[name] = NamedNotification(
                groupID: groupID, notificationID: account.lastNotificationID, order: call?.order,
                date: Int64(time: now), level: level)
        }
        flushPending(groupID, isForced: true)
        return true
    }

    /// Takes a group for calls from a small pool; groups are reused for other chats.
    private mutating func callGroup(of chatID: ChatID) -> NotificationGroup.ID? {
        let ringing = account.calls.values.filter { $0.chatID == chatID }
        if let known = ringing.first?.groupID {
            return ringing.count < Self.callsPerChat ? known : nil
        }
        let id: NotificationGroup.ID
        if let free = account.freeCallGroups.min() {
            id = free
            account.freeCallGroups.removeAll { $0 == free }
        } else if account.callGroupCount < Self.groupLimit {
            account.callGroupCount += 1
            id = nextGroupID()
        } else {
            return nil
        }
        account.groups[id] = NotificationGroup(id: id, kind: .calls, chatID: chatID)
        return id
    }

    mutating func endCall(_ id: Int32) {
        guard let call = account.calls.removeValue(forKey: id) else { return }
        remove(call.notificationID, from: call.groupID, isPermanent: true, isForced: true)
        release(call.groupID)
    }

    /// Returns a group to the pool when its last call has ended.
    private mutating func release(_ groupID: NotificationGroup.ID) {
        guard !account.calls.values.contains(where: { $0.groupID == groupID }) else { return }
        account.freeCallGroups.append(groupID)
    }

    /// False if a call rings on because it came at a higher trust level.
    private mutating func endCalls(in chatID: ChatID, level: TrustLevel) -> Bool {
        let calls = account.calls.filter { $0.value.chatID == chatID }
        for (id, call) in calls.sorted(by: { $0.key < $1.key }) where call.level <= level {
            endCall(id)
        }
        guard calls.contains(where: { $0.value.level > level }) else { return true }
        outranked += 1
        return false
    }

    /// Turns calls that have rung long enough into missed calls.
    mutating func endCalls() {
        guard !account.calls.isEmpty else { return }
        for (id, call) in account.calls.sorted(by: { $0.key < $1.key }) {
            guard let deadline = call.deadline, deadline <= now else { continue }
            endCall(id)
            isTrusted = call.isTrusted
            defer { isTrusted = false }
            showMissed(call.afterwards, in: call.chatID, level: call.level)
        }
    }

    private mutating func showMissed(
        _ presentation: Presentation, in chatID: ChatID, level: TrustLevel, isSilent: Bool = true
    ) {
        var message = IncomingMessage(
            chat: .id(chatID), content: PushContent(.text, text: presentation.body))
        message.sender = chatID.kind == .user ? .user(chatID.rawValue) : nil
        message.senderName = presentation.title
        message.isSilent = isSilent
        message.presentation = presentation
        _ = process(message, level: level)
    }

    /// Stops a call that the user has dismissed.
    mutating func forgetCall(of id: Notification.ID, in groupID: NotificationGroup.ID) {
        let call = account.calls.first {
            $0.value.notificationID == id && $0.value.groupID == groupID
        }
        guard let call else { return }
        account.calls[call.key] = nil
        release(call.value.groupID)
    }
}

extension IncomingCall {
    /// What is shown when the call is over.
    fileprivate var afterwards: Presentation {
        Presentation(title: callerName, body: missedText, data: data)
    }
}

extension RingingCall {
    fileprivate var afterwards: Presentation {
        Presentation(title: callerName, body: missedText, data: data)
    }
}
