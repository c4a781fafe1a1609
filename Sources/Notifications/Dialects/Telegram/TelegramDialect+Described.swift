import Base

/// Messages shown by their documented sentences.
extension TelegramDialect {
    /// A key for which TDLib has no notification. The client also has to fetch the news.
    static func described(
        _ push: TelegramPush, _ chatID: ChatID?, _ context: DialectContext
    ) -> [Event] {
        let fetch = Event.fetchRequired(reason: "unsupported", details: details(push))
        if let chatID, let call = call(push, chatID, context) { return [.call(call), fetch] }
        let isGroup = push.key.hasPrefix("CHAT_")
        guard
            let text = sentence(push, inGroup: isGroup, context)
        else { return [fetch] }
        let isHidden = push.key.hasPrefix("ENCRYPT") || push.key.hasPrefix("LOCKED_")
        var message = IncomingMessage(
            chat: .id(chatID ?? .serviceNotifications),
            content: isHidden ? PushContent(.hidden) : PushContent(.text, text: text.body))
        if let chatID, chatID.kind == .user { message.sender = .user(chatID.rawValue) }
        message.isGroup = isGroup
        message.senderName = chatID == nil ? "Telegram" : push.arguments.first ?? push.readyName
        message.chatTitle =
            isGroup && push.arguments.count > 1
            ? push.arguments[1] : message.senderName
        message.dates = push.dates
        message.isSilent = push.custom.has("silent")
        message.isBroadcast = push.key.hasPrefix("CHANNEL_")
        if push.key.hasPrefix("AUTH_") { message.subject = .account }
        if push.key.hasPrefix("STORY_") {
            message.subject = .story
            message.anonymousText =
                context.templates.text("STORY_HIDDEN_AUTHOR", [], inGroup: false)?.body ?? ""
        }
        if let random = push.custom["random_id"]?.textOrNumber, random != "0" {
            message.dedupeKey = "random:\(chatID?.rawValue ?? 0):\(random)"
        }
        var presentation = Presentation(
            title: text.title ?? message.chatTitle, body: text.body)
        if push.key.hasPrefix("AUTH_") { presentation.urgency = .critical }
        presentation.sound = soundName(push)
        presentation.data = PayloadData.text(push.custom.node)
        message.presentation = presentation
        return [.message(message), fetch]
    }

    /// An unknown key of a message that carries a text ready to show.
    static func readyMessage(
        _ push: TelegramPush, _ key: String, _ chatID: ChatID, _ context: DialectContext
    ) -> IncomingMessage? {
        guard context.policy == .learn, key.hasPrefix("MESSAGE_"), push.isReady else { return nil }
        let text = push.readyText
        var message = IncomingMessage(
            chat: .id(chatID), content: text.map { PushContent(.text, text: $0) } ?? .init(.hidden))
        message.presentation = Presentation(
            title: push.readyName, body: text ?? "", sound: soundName(push),
            data: PayloadData.text(push.custom.node))
        return message
    }

    /// Uses the ready text of the payload if there are no arguments for a sentence.
    private static func sentence(
        _ push: TelegramPush, inGroup: Bool, _ context: DialectContext
    ) -> (title: String?, body: String)? {
        let found = context.templates.text(push.key, push.arguments, inGroup: inGroup)
        guard let found, push.arguments.isEmpty, let ready = push.readyText else { return found }
        return (found.title, ready)
    }

    private static func call(
        _ push: TelegramPush, _ chatID: ChatID, _ context: DialectContext
    ) -> IncomingCall? {
        let families = ["PHONE_CALL_", "VIDEO_CALL_", "CONF_CALL_", "CONF_VIDEOCALL_"]
        guard let family = families.first(where: { push.key.hasPrefix($0) }) else { return nil }
        let stage: IncomingCall.Stage
        switch push.key.dropFirst(family.count) {
        case "REQUEST": stage = .requested
        case "MISSED": stage = .missed
        default: stage = .declined
        }
        let name = push.arguments.first ?? push.readyName
        let missed = context.templates.text("PHONE_CALL_MISSED", [name], inGroup: false)
        var call = IncomingCall(
            chat: .id(chatID), stage: stage, callerName: name, missedText: missed?.body ?? "")
        call.data = PayloadData.text(push.custom.node)
        call.isSilent = push.custom.has("silent")
        call.ownID = push.custom["call_id"]?.textOrNumber ?? ""
        return call
    }

    static func presentation(
        _ push: TelegramPush, _ reading: TelegramArguments, _ message: IncomingMessage,
        _ attachment: TelegramAttachment?, _ context: DialectContext
    ) -> Presentation {
        let sentence = context.templates.text(
            push.key, reading.documented, inGroup: reading.isGroup)
        let ready = push.readyText
        var body = push.arguments.isEmpty ? ready ?? sentence?.body ?? "" : sentence?.body ?? ""
        if body.isEmpty { body = ready ?? message.content.text }
        if let detail = attachment?.detail, !detail.isEmpty { body += " (\(detail))" }
        return Presentation(
            title: sentence?.title
                ?? (message.chatTitle.isEmpty ? message.senderName : message.chatTitle),
            body: body, sound: soundName(push), icon: attachment?.picture ?? "",
            data: PayloadData.text(push.custom.node))
    }

    /// A sound name of the theme, never a path.
    private static func soundName(_ push: TelegramPush) -> String {
        Presentation.bareSound(push.fields["sound"]?.text ?? "")
    }
}
