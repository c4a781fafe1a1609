import Base

/// TDLib's objects, as its JSON interface writes them.
extension JSONWriter {
    /// 64-bit numbers are text in TDLib's JSON.
    mutating func member(_ name: StaticString, int64 value: Int64) { member(name, String(value)) }

    mutating func sender(_ sender: Sender) {
        object { writer in
            switch sender {
            case .user(let id):
                writer.member("@type", "messageSenderUser")
                writer.member("user_id", Int(id))
            case .chat(let id):
                writer.member("@type", "messageSenderChat")
                writer.member("chat_id", Int(id.rawValue))
            }
        }
    }

    mutating func option(_ value: OptionValue) {
        object { writer in
            switch value {
            case .boolean(let value):
                writer.member("@type", "optionValueBoolean")
                writer.member("value", value)
            case .integer(let value):
                writer.member("@type", "optionValueInteger")
                writer.member("value", int64: value)
            case .string(let value):
                writer.member("@type", "optionValueString")
                writer.member("value", value)
            case .empty: writer.member("@type", "optionValueEmpty")
            }
        }
    }

    mutating func groupType(_ kind: NotificationGroup.Kind) {
        let name =
            switch kind {
            case .messages: "notificationGroupTypeMessages"
            case .mentions: "notificationGroupTypeMentions"
            case .secretChat: "notificationGroupTypeSecretChat"
            case .calls: "notificationGroupTypeCalls"
            }
        object { $0.member("@type", name) }
    }

    mutating func notification(_ notification: Notification) {
        object { writer in
            writer.member("@type", "notification")
            writer.member("id", Int(notification.id))
            writer.member("date", Int(notification.date))
            writer.member("is_silent", notification.isSilent)
            writer.member("bellwire.protection", notification.level.name)
            // It may be from anybody, so the user can only dismiss it.
            if !notification.mayAct { writer.member("bellwire.clear", true) }
            writer.name("type")
            writer.object {
                $0.members(of: notification.content, carriesData: notification.mayAct)
            }
        }
    }

    private mutating func members(of content: Notification.Content, carriesData: Bool) {
        switch content {
        case .newMessage(let message, let showsPreview):
            member("@type", "notificationTypeNewMessage")
            name("message")
            foreign(String(decoding: message.source, as: UTF8.self)[...])
            member("show_preview", showsPreview)
        case .newPushMessage(let message): members(of: message, carriesData: carriesData)
        case .newSecretChat: member("@type", "notificationTypeNewSecretChat")
        case .newCall(let id, let ownID):
            member("@type", "notificationTypeNewCall")
            member("call_id", Int(id))
            if !ownID.isEmpty { member("bellwire.call_id", ownID) }
        }
    }

    private mutating func members(of message: PushMessage, carriesData: Bool) {
        member("@type", "notificationTypeNewPushMessage")
        member("message_id", Int(message.id.rawValue))
        name("sender_id")
        sender(message.sender)
        member("sender_name", message.senderName)
        member("is_outgoing", message.isOutgoing)
        name("content")
        pushContent(message.content)
        if !message.threadID.isNone {
            member("message_thread_id", Int(message.threadID.rawValue))
        }
        if let presentation = message.presentation {
            name("bellwire.presentation")
            self.presentation(presentation, carriesData: carriesData)
        }
    }

    mutating func pushContent(_ content: PushContent) {
        object { writer in
            writer.member("@type", content.kind.typeName)
            for member in content.members {
                switch member {
                case .text(let name): writer.member(name, content.text)
                case .number(let name): writer.member(name, Int(content.number))
                case .flag(let name, let flag):
                    writer.member(name, content.flags.contains(flag))
                case .prize:
                    // A pinned giveaway is shown without its prize.
                    if content.number != 0 { writer.prize(content) }
                }
            }
        }
    }

    private mutating func prize(_ content: PushContent) {
        name("prize")
        object { writer in
            let isPremium = content.flags.contains(.isPremium)
            writer.member("@type", isPremium ? "giveawayPrizePremium" : "giveawayPrizeStars")
            writer.member(
                isPremium ? "month_count" : "star_count", Int(content.secondNumber))
        }
    }

    private mutating func optional(_ name: StaticString, _ text: String) {
        if !text.isEmpty { member(name, text) }
    }

    private mutating func presentation(_ presentation: Presentation, carriesData: Bool) {
        object { writer in
            writer.optional("title", presentation.title)
            writer.optional("body", presentation.body)
            writer.optional("sound", presentation.sound)
            writer.optional("icon", presentation.icon)
            writer.optional("link", presentation.link)
            writer.optional("lang", presentation.language)
            writer.optional("dir", presentation.direction)
            writer.optional("default_action", presentation.defaultAction)
            if presentation.isCritical { writer.member("critical", true) }
            if presentation.isHigh { writer.member("high", true) }
            if presentation.isLow { writer.member("low", true) }
            if carriesData, !presentation.data.isEmpty {
                writer.member("data", json: presentation.data)
            }
            if !presentation.tags.isEmpty {
                writer.name("tags")
                writer.array { writer in presentation.tags.forEach { writer.string($0) } }
            }
            guard !presentation.actions.isEmpty else { return }
            writer.name("actions")
            writer.array { writer in
                for action in presentation.actions {
                    writer.object { writer in
                        writer.member("action", action.name)
                        writer.member("title", action.label)
                        if !action.link.isEmpty { writer.member("navigate", action.link) }
                    }
                }
            }
        }
    }
}

extension PushContent.Kind {
    /// TDLib's name of the type.
    package var typeName: String { Self.typeNames[Int(rawValue)] }

    private static let typeNames = allCases.map { kind in
        let name = "\(kind)"
        return "pushMessageContent" + name.prefix(1).uppercased() + name.dropFirst()
    }
}
