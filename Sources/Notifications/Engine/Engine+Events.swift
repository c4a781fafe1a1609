import Base

/// Applies the events that a dialect has read from a payload.
extension Engine {
    /// Applies the events of one payload. `isTrusted`: it came in clear, from a sender who is
    /// trusted all the same. A repeated `id` changes nothing, unless it is empty.
    package mutating func process(
        _ events: [Event], level: TrustLevel, isTrusted: Bool = false, id: String = "",
        now: Double
    ) -> Outcome {
        advance(to: now)
        self.isTrusted = isTrusted
        defer { self.isTrusted = false }
        if isClosed { return .aborted }
        if !id.isEmpty, !account.recentPushes.insert(id) { return .ok }
        isBadgeSet = false
        var outcome = Outcome.ok
        for event in events {
            let result = process(event, level: level)
            if outcome == .ok { outcome = result }
        }
        if case .error(code: 406, let message) = outcome {
            requireFetch(
                "push", [Update.Detail("message", source: JSONText.quoted(message))], events)
        }
        return outcome
    }

    private mutating func process(_ event: Event, level: TrustLevel) -> Outcome {
        switch event {
        case .message(let message): return process(message, level: level)
        case .deleted(let chat, let ids):
            guard let chatID = chatID(chat) else { return .ok }
            loweringBadge(of: chatID) { engine in
                for id in ids { engine.delete(id, in: chatID, level: level) }
            }
        case .retracted(let name, let order): retract(name, order: order, level: level)
        case .ended(let name, let order):
            retract(name, order: order, level: level, leavesTombstone: false)
        case .read(let chat, let last):
            guard let chatID = chatID(chat) else { return .ok }
            loweringBadge(of: chatID) { $0.markRead(chatID, upTo: last, level: level) }
        case .announcement(let id, let text): announce(id, text: text, level: level)
        case .call(let call): return process(call, level: level)
        case .badge(let unread, let missedCalls):
            showBadge(unread: unread, missedCalls: missedCalls, level: level)
        case .unread(let count): setBadge(Badge(unread: count, missedCalls: nil))
        case .dcUpdate(let dc, let address):
            guard level == .mtproto || account.policy == .strict else { return .ok }
            sendNotice(.dcOption(dc: dc, address: address, getConfig: dc == 1))
        case .liveLocationsNeeded:
            if level > .clear { sendNotice(.liveLocationsNeeded) }
        case .sessionRevoked(let dates):
            if level == .mtproto { revokeSession(dates) }
        case .fetchRequired(let reason, let details):
            sendNotice(.fetchRequired(reason: reason, details: details))
        case .ignored: break
        case .refused(let code, let message): return .error(code: code, message: message)
        }
        return .ok
    }

    private mutating func requireFetch(
        _ reason: String, _ details: [Update.Detail], _ events: [Event]
    ) {
        let isSaid = events.contains { if case .fetchRequired = $0 { true } else { false } }
        guard account.policy == .learn, !isSaid else { return }
        sendNotice(.fetchRequired(reason: reason, details: details))
    }

    func chatID(_ reference: ChatReference) -> ChatID? {
        switch reference {
        case .id(let id): id
        case .conversation(let key): account.conversations[key]
        }
    }

    /// The chat of a reference. A push may create the chat if the policy allows that.
    mutating func introduce(_ message: IncomingMessage, level: TrustLevel) -> ChatID? {
        switch message.chat {
        case .id(let id):
            guard let place = account.chats.index(forKey: id) else {
                guard account.policy == .learn else { return nil }
                makeRoomForChat()
                var chat = Chat(id, title: message.chatTitle, titleLevel: level)
                if message.isBroadcast { chat.kind = .channel }
                account.chats[id] = chat
                return id
            }
            learnTitle(message.chatTitle, at: place, level)
            if message.isBroadcast { learnChannel(at: place) }
            return id
        case .conversation(let key):
            if let id = account.conversations[key] {
                if let place = account.chats.index(forKey: id) {
                    learnTitle(message.chatTitle, at: place, level)
                }
                return id
            }
            makeRoomForConversation()
            // These identifiers are above all that a server assigns to users.
            account.lastConversation += 1
            let id = ChatID(ChatID.userLimit + account.lastConversation)
            account.conversations[key] = id
            account.chats[id] = Chat(
                kind: message.isGroup ? .basicGroup : .privateChat, title: message.chatTitle,
                titleLevel: level)
            return id
        }
    }

    /// Keeps the first title unless a later one is better protected.
    private mutating func learnTitle(
        _ title: String, at place: Dictionary<ChatID, Chat>.Index, _ level: TrustLevel
    ) {
        guard account.policy == .learn, !title.isEmpty,
            account.chats.values[place].title.isEmpty
                || level > account.chats.values[place].titleLevel
        else { return }
        account.chats.values[place].title = title
        account.chats.values[place].titleLevel = level
    }

    /// A chat known only from pushes counts as a group until it sends as a channel.
    private mutating func learnChannel(at place: Dictionary<ChatID, Chat>.Index) {
        guard account.policy == .learn, !account.chats.values[place].isListed,
            account.chats.values[place].kind == .supergroup
        else { return }
        account.chats.values[place].kind = .channel
    }

    /// Logging out cannot be undone, so the payload needs a plausible date; otherwise the client
    /// has to ask the server.
    private mutating func revokeSession(_ dates: [Int64]) {
        guard dates.contains(acceptedDate(dates)) else {
            sendNotice(.fetchRequired(reason: "session_revoke", details: []))
            return
        }
        updates.append(.sessionRevoked)
        logOut()
    }
}
