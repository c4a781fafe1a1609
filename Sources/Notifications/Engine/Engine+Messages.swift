import Base

/// Messages announced by a push.
extension Engine {
    mutating func process(_ message: IncomingMessage, level: TrustLevel) -> Outcome {
        if message.editDate != nil { return edit(message, level: level) }
        if isSavedMessage(message) { return .ok }
        if !message.dedupeKey.isEmpty, isRepeated(message.dedupeKey, level) {
            // A repeated message can only change its text.
            if message.replacement == .inPlace { _ = place(of: message, level) }
            return .ok
        }
        guard let chatID = introduce(message, level: level) else {
            return .error(code: 406, message: "Ignore notification in unknown chat")
        }
        if account.policy == .strict, case .chat(let sender) = message.sender,
            account.chats[sender] == nil
        {
            return .error(code: 406, message: "Ignore notification sent by unknown chat")
        }
        guard let chat = account.chats[chatID], isNews(message, in: chat, chatID, level)
        else {
            return .ok
        }
        let date = acceptedDate(message.dates)
        let isMention = countsAsMention(message, in: chat)
        let settingsChatID = settingsChat(message, chatID, isMention: isMention)
        let isNewPin = isMention && message.isPinned && !message.messageID.isNone
        if ignoresContact(message) { return .ok }
        if isNewPin, isPinOutranked(level, in: chat) { return .ok }
        let isOwn = settingsChatID == chatID
        let mutedUntil = isOwn ? muteEnd(of: chat) : muteEnd(of: settingsChatID)
        if isMuted(message.subject, until: mutedUntil, at: date, in: chat) {
            if isNewPin { replacePin(in: chatID, with: .none) }
            return .ok
        }
        let known = isMention ? chat.mentionGroupID : chat.messageGroupID
        let groupID = known != 0 ? known : group(of: chatID, isMention: isMention)
        if !message.messageID.isNone {
            if isNewPin { replacePin(in: chatID, with: message.messageID) }
            recordPush(message.messageID, in: chatID, level)
        }
        if chat.kind == .secret, account.policy == .strict {
            return .error(code: 406, message: "Secret chat push notifications are unsupported")
        }
        guard order.limit > 0 else { return .ok }
        if outranks(level, chat), giveWay(to: message, in: groupID, settingsChatID, level) {
            return .ok
        }
        show(message, date: date, in: groupID, settingsChatID, level)
        return .ok
    }

    private mutating func isRepeated(_ key: String, _ level: TrustLevel) -> Bool {
        !account.recentPushes.insert(key, level)
    }

    private func isSavedMessage(_ message: IncomingMessage) -> Bool {
        message.chat == .id(ChatID(account.userID)) && !message.isScheduled
    }

    /// False if the message was announced before, or has been read or deleted.
    private func isNews(
        _ message: IncomingMessage, in chat: Chat, _ chatID: ChatID, _ level: TrustLevel
    ) -> Bool {
        if chat.isClosed { return false }
        if message.isScheduled, chatID.rawValue != account.userID,
            account.boolean(OptionName.ignoresSentScheduled)
        {
            return false
        }
        let id = message.messageID
        guard !id.isNone else { return true }
        return id > chat.lastMessage && id > chat.lastRead
            && (id > chat.lastPushMessage || outranks(level, chat))
            && !chat.deleted.contains(id) && barred[chatID]?.contains(id) != true
    }

    /// Whether the chat's newest message is known only from weaker pushes. TDLib has a single
    /// level.
    private func outranks(_ level: TrustLevel, _ chat: Chat) -> Bool {
        level > chat.lastPushLevel && account.policy == .learn
    }

    private mutating func recordPush(_ id: ChatMessageID, in chatID: ChatID, _ level: TrustLevel) {
        guard let place = account.chats.index(forKey: chatID),
            level >= account.chats.values[place].lastPushLevel || account.policy == .strict
        else { return }
        account.chats.values[place].lastPushMessage = id
        account.chats.values[place].lastPushLevel = level
    }

    private func countsAsMention(_ message: IncomingMessage, in chat: Chat) -> Bool {
        guard !chat.isPrivate else { return false }
        if message.isPinned { return !disablesPinned(chat) }
        return message.isMention && !disablesMentions(chat)
    }

    /// Mentions follow the settings of the sender's chat.
    private func settingsChat(
        _ message: IncomingMessage, _ chatID: ChatID, isMention: Bool
    ) -> ChatID {
        isMention ? message.sender?.chatID ?? chatID : chatID
    }

    /// The last plausible date, each judged from the one before it; the present if none is.
    func acceptedDate(_ dates: [Int64]) -> Int64 {
        dates.reduce(Int64(time: now)) { accepted, date in
            let age = accepted - date
            return age <= Self.longestDelivery && age >= -Self.clockLeeway ? date : accepted
        }
    }

    /// How many seconds late a push may arrive, and how far ahead its sender's clock may be.
    private static let longestDelivery: Int64 = 28 * 86_400
    private static let clockLeeway: Int64 = 5

    /// The group of a chat, created with its first notification.
    mutating func group(of chatID: ChatID, isMention: Bool) -> NotificationGroup.ID {
        let known =
            isMention
            ? account.chats[chatID]?.mentionGroupID : account.chats[chatID]?.messageGroupID
        if let known, known != 0 { return known }
        makeRoomForGroup()
        let id = nextGroupID()
        account.groups[id] = NotificationGroup(
            id: id, kind: isMention ? .mentions : .messages, chatID: chatID)
        if isMention {
            account.chats[chatID]?.mentionGroupID = id
        } else {
            account.chats[chatID]?.messageGroupID = id
        }
        return id
    }

    /// An identifier that no group has. Existing groups keep theirs.
    mutating func nextGroupID() -> NotificationGroup.ID {
        repeat {
            account.lastGroupID = following(account.lastGroupID)
        } while account.groups[
            account.lastGroupID] != nil
        account.forgetsGroupID = false
        return account.lastGroupID
    }

    private mutating func show(
        _ message: IncomingMessage, date: Int64, in groupID: NotificationGroup.ID,
        _ settingsChatID: ChatID, _ level: TrustLevel
    ) {
        var (isQuiet, order) = (message.isSilent || isPaused, message.order)
        var former: Notification.ID?
        switch place(of: message, level) {
        case .taken: return
        case .free:
            guard mayRing(message) else { return count(in: groupID) }
        case .heir(let old, let place):
            // A message that must not ring replaces the old one in place.
            guard mayRing(message) else { return change(old, in: place, to: message, level) }
            order = account.names[message.name]?.order
            isQuiet = isQuiet || old.isCall
            if place == groupID { former = old.id } else { makeWay(old, in: place) }
        }
        let push = pushMessage(message, in: groupID, settingsChatID)
        if case .id(let chatID) = message.chat, chatID.kind == .secret {
            closeSecretChatNotice(chatID)
        }
        let isAdded = add(
            .newPushMessage(push), to: groupID,
            Arrival(
                date: date, settingsChatID: settingsChatID,
                soundID: isQuiet ? 0 : soundID(of: message, under: settingsChatID),
                isSilent: isQuiet, level: level,
                name: message.name, origin: message.origin))
        guard isAdded else { return }
        if !message.name.isEmpty {
            account.names[message.name] = NamedNotification(
                groupID: groupID, notificationID: account.lastNotificationID,
                order: order, date: date, level: level)
        }
        flushPending(groupID, isForced: true, inPlaceOf: former)
    }

    func pushMessage(
        _ message: IncomingMessage, in groupID: NotificationGroup.ID, _ settingsChatID: ChatID
    ) -> PushMessage {
        let chatID = account.groups[groupID]?.chatID ?? settingsChatID
        let isOutgoing =
            if case .user(let id) = message.sender { id == account.userID } else {
                message.isScheduled
            }
        let sender = message.sender ?? unknownSender(in: chatID)
        var push = PushMessage(
            id: message.messageID, sender: sender, senderName: message.senderName,
            isOutgoing: isOutgoing, content: message.content)
        push.threadID = message.threadID
        push.isMention = message.isMention
        push.isPin = message.isPinned
        push.isScheduled = message.isScheduled
        push.subject = message.subject
        guard account.policy == .learn else { return push }
        push.$presentation = message.$presentation
        if account.source.presentation.completes {
            push.presentation?.complete(from: account.source.presentation)
        }
        if message.subject == .story, !showsStoryPoster(chatID) {
            push.hidePoster(message.anonymousText)
        }
        // Texts that reveal nothing of the content may be shown.
        if push.content.kind != .hidden, message.subject != .account,
            !showsPreview(chatID, settingsChatID)
        {
            push.content = push.content.withoutPreview
            push.presentation?.body = ""
            push.presentation?.icon = ""
            push.presentation?.picture = ""
        }
        return push
    }

    /// If a basic group's message names no sender, TDLib takes the service itself.
    func unknownSender(in chatID: ChatID) -> Sender {
        chatID.kind == .basicGroup
            ? .user(ChatID.serviceNotifications.rawValue) : .chat(chatID)
    }

    /// Everything about a new notification besides its content.
    struct Arrival {
        let date: Int64
        let settingsChatID: ChatID
        let soundID: Int64
        let isSilent: Bool
        let level: TrustLevel
        var name = ""
        var origin = ""
        var due: Double = 0
    }

    /// Adds a pending notification; false if the group has passed that message already.
    mutating func add(
        _ content: Notification.Content, to groupID: NotificationGroup.ID, _ arrival: Arrival
    ) -> Bool {
        if account.lastNotificationID >= Coder.lastCount { beginNotificationsAnew() }
        guard let group = account.groups[groupID] else { return false }
        // After identifiers have started again, a sleeping notification may have the next one.
        repeat {
            account.lastNotificationID += 1
        } while group.sleeping.contains {
            $0.id == account.lastNotificationID
        }
        account.forgetsNotificationID = false
        let notification = Notification(
            id: account.lastNotificationID, date: arrival.date, isSilent: arrival.isSilent,
            content: content, level: arrival.level,
            isTrusted: isTrusted && arrival.level == .clear, name: arrival.name,
            origin: arrival.origin)
        let last = group.pending.last?.notification ?? group.notifications.last
        let messageID = notification.messageID
        if let last, last.id >= notification.id { return false }
        if let last, !messageID.isNone, messageID <= last.messageID, group.kind != .calls,
            last.level >= arrival.level || account.policy == .strict
        {
            return false
        }
        account.groups.change(groupID) { group in
            group.pending.append(
                PendingNotification(
                    notification: notification, settingsChatID: arrival.settingsChatID,
                    soundID: arrival.soundID, due: arrival.due))
        }
        delayedGroups.insert(groupID)
        sendPending()
        return true
    }
}
