import Base

/// What a payload says, independent of its dialect.
package enum Event: Equatable, Sendable {
    /// It is indirect because it is large and passed around often.
    indirect case message(IncomingMessage)
    case deleted(ChatReference, [ChatMessageID])
    /// A deleted message, in dialects that name messages by text.
    case retracted(name: String, order: Int64?)
    /// The same, but a later message with this name is new.
    case ended(name: String, order: Int64?)
    case read(ChatReference, upTo: ChatMessageID)
    case announcement(id: Int64, text: String)
    case call(IncomingCall)
    case badge(unread: Int64?, missedCalls: Int64?)
    /// The number of unread messages; what is shown stays.
    case unread(Int64)
    case dcUpdate(dc: Int32, address: String)
    case liveLocationsNeeded
    /// The session was ended. The dates are those of its payload, which may be an old one sent
    /// again.
    case sessionRevoked(dates: [Int64])
    case fetchRequired(reason: String, details: [Update.Detail])
    /// Nothing to do, and not an error.
    case ignored
    case refused(code: Int, message: String)
}

/// The chat that an event is about.
package enum ChatReference: Hashable, Sendable {
    case id(ChatID)
    /// The name of a conversation, in dialects that identify conversations by text.
    case conversation(String)
}

/// What a message does to an earlier one with the same name.
package enum Replacement: Sendable {
    /// Both stay, and the newer one takes over the name.
    case beside
    /// The text changes in place, without a sound.
    case inPlace
    /// The older one is removed, and the newer one appears like any other.
    case anew
}

/// A message as a push describes it.
package struct IncomingMessage: Equatable, Sendable {
    package var chat: ChatReference
    package var messageID: ChatMessageID
    package var content: PushContent
    package var chatTitle = ""
    package var isGroup = false
    package var sender: Sender?
    package var senderName = ""
    /// Seconds since 1970, one for each date in the payload. The last plausible one counts.
    package var dates: [Int64] = []
    package var editDate: Int64?
    package var isMention = false
    package var isPinned = false
    package var isScheduled = false
    package var isSilent = false
    /// A post of a channel.
    package var isBroadcast = false
    package var subject = PushMessage.Subject.message
    /// Shown for a story when its author must not be named.
    package var anonymousText = ""
    /// 0 for none, -1 for the application's default.
    package var soundID: Int64 = -1
    package var threadID = ChatMessageID.none
    @Boxed package var presentation: Presentation?
    /// The name by which a later payload can replace or retract it.
    package var name = ""
    /// What the host calls the push; empty if that is its name.
    package var origin = ""
    package var replacement = Replacement.beside
    package var order: Int64?
    /// Identifies repeated payloads about the same message; empty if they cannot be recognised.
    package var dedupeKey = ""

    package init(chat: ChatReference, messageID: ChatMessageID = .none, content: PushContent) {
        self.chat = chat
        self.messageID = messageID
        self.content = content
    }
}

/// A call as a push describes it.
package struct IncomingCall: Equatable, Sendable {
    package enum Stage: Sendable { case requested, declined, missed }

    package var chat: ChatReference
    package var stage: Stage
    package var callerName: String
    package var isGroup = false
    package var isSilent = false
    /// Shown when the call is missed.
    package var missedText: String
    package var name = ""
    package var replacement = Replacement.beside
    package var order: Int64?
    /// Given to the application that answers; see `Presentation.data`.
    package var data = ""
    /// The server's own identifier of the call, if the payload has one.
    package var ownID = ""

    package init(
        chat: ChatReference, stage: Stage, callerName: String, missedText: String,
        name: String = ""
    ) {
        self.chat = chat
        self.stage = stage
        self.callerName = callerName
        self.missedText = missedText
        self.name = name
    }
}

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
