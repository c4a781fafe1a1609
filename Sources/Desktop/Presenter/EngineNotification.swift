package import Base

/// A notification of an engine, with everything that may be shown of it.
package struct EngineNotification: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case message
        case secretChat
        case call
    }

    package struct Action: Equatable, Sendable {
        package let name: String
        package let label: String
        package let link: String
    }

    package let id: Int32
    package var kind = Kind.message
    package var isSilent = false
    /// Zero for none.
    package var messageID: Int64 = 0
    package var sender = ""
    package var title = ""
    package var body = ""
    package var sound = ""
    package var link = ""
    /// A link to a picture, or a link that contains it.
    package var icon = ""
    /// The label of the default action; empty for the standard one.
    package var defaultLabel = ""
    package var actions: [Action] = []
    /// Words by which the sender marks it.
    package var tags: [String] = []
    package var isCritical = false
    package var isHigh = false
    package var isLow = false
    /// It came unencrypted and anybody may have sent it, so it can only be dismissed.
    package var isClear = false

    package init?(_ node: JSONNode) {
        guard let id = node["id"]?.int32, let type = node["type"] else { return nil }
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
    }

    private mutating func read(pushMessage node: JSONNode) {
        messageID = node["message_id"]?.integer ?? 0
        sender = node["sender_name"]?.text ?? ""
        guard let presentation = node["bellwire.presentation"] else {
            body = node["content"].map(Self.description) ?? ""
            return
        }
        title = presentation["title"]?.text ?? ""
        body = presentation["body"]?.text ?? ""
        sound = presentation["sound"]?.text ?? ""
        link = presentation["link"]?.text ?? ""
        icon = presentation["icon"]?.text ?? ""
        defaultLabel = presentation["default_action"]?.text ?? ""
        isCritical = presentation["critical"]?.bool ?? false
        isHigh = presentation["high"]?.bool ?? false
        isLow = presentation["low"]?.bool ?? false
        tags = (presentation["tags"]?.elements ?? []).compactMap(\.text)
        actions = (presentation["actions"]?.elements ?? []).compactMap { action in
            guard let name = action["action"]?.text, let label = action["title"]?.text else {
                return nil
            }
            return Action(name: name, label: label, link: action["navigate"]?.text ?? "")
        }
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

/// The tags that are shown as a sign before the title. ntfy's users know these words; other tags
/// are listed below the text.
enum TagSign {
    static let of: [String: String] = [
        "+1": "👍", "-1": "👎", "alarm_clock": "⏰", "battery": "🔋", "bell": "🔔", "bug": "🐛",
        "camera": "📷", "computer": "💻", "cd": "💿", "door": "🚪", "droplet": "💧",
        "envelope": "✉️", "eyes": "👀", "facepalm": "🤦", "fire": "🔥", "floppy_disk": "💾",
        "green_circle": "🟢", "heavy_check_mark": "✔️", "hourglass": "⌛", "house": "🏠",
        "information_source": "ℹ️", "key": "🔑", "lock": "🔒", "loudspeaker": "📢", "moneybag": "💰",
        "no_entry": "⛔", "no_entry_sign": "🚫", "package": "📦", "partying_face": "🥳",
        "red_circle": "🔴", "rocket": "🚀", "rotating_light": "🚨", "skull": "💀", "snowflake": "❄️",
        "star": "⭐", "tada": "🎉", "thermometer": "🌡️", "triangular_flag_on_post": "🚩",
        "unlock": "🔓", "warning": "⚠️", "white_check_mark": "✅", "wrench": "🔧", "x": "❌",
        "yellow_circle": "🟡", "zap": "⚡",
    ]
}
