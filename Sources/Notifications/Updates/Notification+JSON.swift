package import Base

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
            if presentation.isMarkdown { writer.member("markdown", true) }
            writer.optional("sound", presentation.sound)
            writer.optional("icon", presentation.icon)
            writer.optional("picture", presentation.picture)
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
                for var action in presentation.actions {
                    writer.object { $0.fields { action.fields(&$0) } }
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

/// A notification of an engine, with everything that may be shown of it.
package struct EngineNotification: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case message
        case secretChat
        case call
    }

    package let id: Int32
    package var kind = Kind.message
    package var isSilent = false
    /// Zero for none.
    package var messageID: Int64 = 0
    package var sender = ""
    package var title = ""
    package var body = ""
    package var isMarkdown = false
    package var sound = ""
    package var link = ""
    /// A link to a picture, or a link that contains it.
    package var icon = ""
    /// By what the server finds a picture of it; empty if there is none.
    package var picture = ""
    /// The label of the default action; empty for the standard one.
    package var defaultLabel = ""
    package var actions: [Presentation.Action] = []
    /// Words by which the sender marks it.
    package var tags: [String] = []
    package var isCritical = false
    package var isHigh = false
    package var isLow = false
    /// It came unencrypted and anybody may have sent it, so it can only be dismissed.
    package var isClear = false
    package var line = Line()

    /// What a list of notifications shows besides. It is no reason to draw one again, so any two
    /// are equal.
    package struct Line: Equatable, Sendable {
        /// Seconds since 1970.
        package var date = 0
        /// What the message says, or the kind of its content in brackets.
        package var text = ""
        /// The payload says what is to be shown.
        package var isPresented = false

        package static func == (left: Line, right: Line) -> Bool { true }
    }

    package init?(_ node: JSONNode) {
        guard let id = node["id"]?.positiveID, let type = node["type"] else { return nil }
        self.id = id
        isSilent = node["is_silent"]?.bool ?? false
        isClear = node["bellwire.clear"]?.bool ?? false
        switch type["@type"]?.text {
        case "notificationTypeNewPushMessage": read(pushMessage: type)
        case "notificationTypeNewMessage":
            let showsPreview = type["show_preview"]?.bool ?? true
            if let message = type["message"] { read(message, showsPreview: showsPreview) }
        case "notificationTypeNewSecretChat": kind = .secretChat
        case "notificationTypeNewCall": kind = .call
        default: return nil
        }
        line.date = Int(node["date"]?.integer ?? 0)
        let content = type["content"] ?? type["message"]?["content"]
        line.text =
            content?["text"]?.text ?? content?["text"]?["text"]?.text
            ?? "(\(Self.kind(content ?? type)))"
    }

    private mutating func read(pushMessage node: JSONNode) {
        messageID = node["message_id"]?.integer ?? 0
        sender = node["sender_name"]?.text ?? ""
        guard let presentation = node["bellwire.presentation"] else {
            body = node["content"].map(Self.description) ?? ""
            return
        }
        line.isPresented = presentation.has("body")
        title = presentation["title"]?.text ?? ""
        body = presentation["body"]?.text ?? ""
        sound = presentation["sound"]?.text ?? ""
        link = presentation["link"]?.text ?? ""
        icon = presentation["icon"]?.text ?? ""
        picture = presentation["picture"]?.text ?? ""
        defaultLabel = presentation["default_action"]?.text ?? ""
        isCritical = presentation["critical"]?.bool ?? false
        isHigh = presentation["high"]?.bool ?? false
        isLow = presentation["low"]?.bool ?? false
        tags = (presentation["tags"]?.elements ?? []).compactMap(\.text)
        isMarkdown = presentation["markdown"]?.bool ?? false
        actions = Presentation.Action.list(presentation["actions"])
    }

    private mutating func read(_ message: JSONNode, showsPreview: Bool) {
        messageID = message["id"]?.integer ?? 0
        if showsPreview, let content = message["content"] { body = Self.description(of: content) }
    }

    /// The text of a message, or the kind of its content.
    private static func description(of content: JSONNode) -> String {
        for text in [content["text"], content["caption"]] {
            if let text = text?["text"]?.text ?? text?.text, !text.isEmpty { return text }
        }
        let type = content["@type"]?.text ?? ""
        return ["pushMessageContent", "message"].lazy
            .first { type.hasPrefix($0) }
            .map { words(type.dropFirst($0.count)) } ?? ""
    }

    private static func kind(_ node: JSONNode) -> String {
        var name = node["@type"]?.text ?? ""
        for prefix in ["pushMessageContent", "notificationType", "message"]
        where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
        }
        return name
    }

    /// "VoiceNote" as "Voice note".
    private static func words(_ name: Substring) -> String {
        var words = ""
        for character in name {
            if character.isUppercase, !words.isEmpty {
                words += " " + character.lowercased()
            } else {
                words.append(character)
            }
        }
        return words == "Hidden" ? "" : words
    }
}
