/// Keys about a message in a chat.
extension TelegramDialect {
    static func messageEvents(
        _ push: TelegramPush, _ chatID: ChatID, _ context: DialectContext
    ) throws(TelegramRefusal) -> [Event] {
        let messageID = try push.custom.int("msg_id")
        guard messageID >= 0 else { throw .malformed("Receive invalid msg_id") }
        let sender = try sender(push.custom, chatID)
        _ = try push.custom.int("mention")
        var reading = TelegramArguments(push, chatID, hasSender: sender != nil, context.policy)
        try reading.readFamily(isTolerant: context.policy == .learn)
        try checkIdentifiers(reading.key, push, chatID)
        if let refusal = unsupported(reading.key) {
            guard context.policy == .learn else { throw refusal }
            return described(push, chatID, context)
        }
        guard let shape = TelegramContent.of(reading.key) else {
            if var message = readyMessage(push, reading.key, chatID, context) {
                message.messageID = ChatMessageID(server: Int64(messageID))
                message.sender = sender
                try complete(&message, from: push, reading)
                if chatID.kind == .user { message.senderName = push.readyName }
                message.chatTitle = push.readyName
                return badge(push) + [
                    .message(message),
                    .fetchRequired(reason: "unsupported", details: details(push)),
                ]
            }
            guard reading.key == "ENCRYPTED_MESSAGE" else {
                throw .malformed("Push type is unknown")
            }
            if context.policy == .learn { return described(push, chatID, context) }
            // Secret chats announce messages without any content.
            try reading.readNames(context)
            return [.message(IncomingMessage(chat: .id(chatID), content: PushContent(.hidden)))]
        }
        try reading.readNames(context)
        var message = IncomingMessage(
            chat: .id(chatID), messageID: ChatMessageID(server: Int64(messageID)),
            content: try reading.content(shape))
        let attachment = try TelegramAttachment(push.custom)
        attachment?.apply(to: &message.content)
        message.content.text = trimmed(message.content)
        message.sender = sender
        try complete(&message, from: push, reading)
        guard context.policy == .learn else { return [.message(message)] }
        message.presentation = presentation(push, reading, message, attachment, context)
        var events = badge(push)
        events.append(.message(message))
        return events
    }

    /// The badge, unless it is 0.
    static func badge(_ push: TelegramPush) -> [Event] {
        guard let badge = push.fields["badge"]?.integer, badge > 0 else { return [] }
        return [.badge(unread: badge, missedCalls: nil)]
    }

    /// Messages have numbers, except in secret chats, where they have random identifiers.
    private static func checkIdentifiers(
        _ key: String, _ push: TelegramPush, _ chatID: ChatID
    ) throws(TelegramRefusal) {
        let messageID = try push.custom.int("msg_id")
        let isSecret = chatID.kind == .secret
        if key.hasPrefix("MESSAGE"), messageID == 0 {
            throw .malformed("Receive no message identifier")
        }
        let randomID = try push.custom.long("random_id")
        if key.hasPrefix("ENCRYPT") || randomID != 0, !isSecret {
            throw .malformed("Receive wrong chat type")
        }
        if messageID != 0, isSecret {
            throw .malformed(
                "Receive message identifier in a secret chat push notification")
        }
    }

    /// Captions start with an emoji for their kind of content, which is removed; a sticker's text
    /// is only its emoji.
    private static func trimmed(_ content: PushContent) -> String {
        let mark: String
        switch content.kind {
        case .photo: mark = "\u{1F5BC} "
        case .animation: mark = "\u{1F3AC} "
        case .document: mark = "\u{1F4CE} "
        case .video: mark = "\u{1F4F9} "
        case .sticker:
            let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\n" }
            let front = content.text.unicodeScalars.drop(while: isBlank)
            let middle = front.reversed().drop(while: isBlank).reversed()
            return String(String.UnicodeScalarView(middle))
        default: return content.text
        }
        return content.text.hasPrefix(mark)
            ? String(content.text.dropFirst(mark.count)) : content.text
    }

    private static func complete(
        _ message: inout IncomingMessage, from push: TelegramPush, _ reading: TelegramArguments
    ) throws(TelegramRefusal) {
        message.senderName = reading.senderName
        message.chatTitle = reading.chatTitle
        if case .id(let chatID) = message.chat { message.isGroup = chatID.kind != .user }
        message.dates = push.dates
        message.isMention = try push.custom.int("mention") != 0
        message.isPinned = reading.key.hasPrefix("PINNED_")
        message.isBroadcast = push.key.hasPrefix("CHANNEL_")
        try readCustom(push, randomID: try push.custom.long("random_id"), into: &message)
    }

    private static func readCustom(
        _ push: TelegramPush, randomID: Int64, into message: inout IncomingMessage
    ) throws(TelegramRefusal) {
        let custom = push.custom
        // It is unused here, but checked as in TDLib.
        _ = try custom.int("report_delivery_until_date")
        if custom.has("edit_date") {
            guard randomID == 0 else { throw .malformed("Receive edit of secret message") }
            let date = try custom.int("edit_date")
            guard date > 0 else { throw .malformed("Receive wrong edit date") }
            message.editDate = Int64(date)
        }
        message.isScheduled = custom.has("schedule")
        if custom.has("silent") {
            message.isSilent = true
        } else if custom.has("ringtone") {
            message.soundID = try custom.long("ringtone")
        }
        if let thread = custom["top_msg_id"]?.integer, thread > 0, thread <= Int64(Int32.max) {
            message.threadID = ChatMessageID(server: thread)
        }
    }

    /// A chat as sender takes precedence over a person.
    private static func sender(
        _ custom: TelegramFields, _ chatID: ChatID
    ) throws(TelegramRefusal) -> Sender? {
        if custom.has("chat_from_broadcast_id") {
            return .chat(try channel(custom, "chat_from_broadcast_id"))
        }
        if custom.has("chat_from_group_id") {
            return .chat(try channel(custom, "chat_from_group_id"))
        }
        if custom.has("chat_from_id") {
            let id = try custom.long("chat_from_id")
            guard id > 0, id < ChatID.userLimit else {
                throw .malformed("Receive invalid chat_from_id")
            }
            return .user(id)
        }
        switch chatID.kind {
        case .user: return .user(chatID.rawValue)
        case .channel: return .chat(chatID)
        case .basicGroup, .secret: return nil
        }
    }

    private static func channel(
        _ custom: TelegramFields, _ name: StaticString
    ) throws(TelegramRefusal) -> ChatID {
        let id = try custom.long(name)
        guard ChatID.isChannel(id) else { throw .malformed("Receive invalid \(name)") }
        return .channel(id)
    }

    /// Keys that TDLib knows but shows nothing for.
    private static func unsupported(_ key: String) -> TelegramRefusal? {
        if key.hasPrefix("ENCRYPTION_") {
            return .unsupported("New secret chat notification is not supported")
        }
        if key.hasPrefix("PHONE_CALL_") || key.hasPrefix("VIDEO_CALL_") {
            return .unsupported("Phone call notification is not supported")
        }
        if key.hasPrefix("CONF_CALL_") || key.hasPrefix("CONF_VIDEOCALL_") {
            return .unsupported("Group call notification is not supported")
        }
        if key.hasPrefix("REACT_") || key.hasPrefix("CHAT_REACT_") || key == "READ_REACTION" {
            return .unsupported("Reaction notifications are unsupported")
        }
        if key.hasPrefix("STORY_") { return .unsupported("Story notifications are unsupported") }
        return nil
    }
}
