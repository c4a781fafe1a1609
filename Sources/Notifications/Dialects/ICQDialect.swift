import Base

/// ICQ's pushes: an Apple payload whose key says which of four events happened.
///
/// The published examples have damaged quotes and changed capitals, so names are compared without
/// regard to case, `-` and `_`.
package enum ICQDialect {
    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        let repaired = repaired(payload)
        guard let root = try? JSONDocument(repaired).root, let aps = root.loose("aps"),
            aps.kind == .object
        else { return PlainDialect.events(payload, context) }
        // The badge is a total, not an increment.
        let badge = aps.loose("badge")?.integer.flatMap { $0 < 0 ? nil : $0 }
        guard let alert = aps.loose("alert"), isShown(alert) else {
            return [badge.map { Event.badge(unread: $0, missedCalls: nil) } ?? .ignored]
        }
        let key = alert.loose("loc-key")?.text ?? ""
        let arguments = (alert.loose("loc-args")?.elements ?? []).compactMap(\.textOrNumber)
        var message = message(key, arguments, plain: plain(alert))
        message.presentation?.data = data(normal(key), alert.loose("loc-args")?.elements ?? [])
        if normal(key) == "im2", !context.presentation.sentence.isEmpty {
            let said = root["timestamp"] ?? aps.loose("timestamp")
            let time = said?.integer ?? Int64(max(0, min(context.now, Double(latest))))
            message.presentation?.body = sentence(
                context.presentation, arguments, time: min(max(time, 0), latest))
        }
        let sound = aps.loose("sound")?.text ?? context.presentation.sound
        message.presentation?.sound = Presentation.bareSound(sound)
        message.isSilent = sound.isEmpty
        if let label = alert.loose("action-loc-key")?.text {
            message.presentation?.defaultAction = label
        }
        // Beside a text, 0 must not clear the screen.
        let count = badge.map { $0 > 0 ? Event.badge(unread: $0, missedCalls: nil) : .unread(0) }
        return [count].compactMap(\.self) + [.message(message)]
    }

    /// Whether there is something to show: a text, a key, or what a key would stand for.
    private static func isShown(_ alert: JSONNode) -> Bool {
        let texts = [plain(alert), alert.loose("loc-key")?.text].compactMap(\.self)
        return texts.contains { !$0.isEmpty } || alert.loose("loc-args")?.elements.isEmpty == false
    }

    /// A text that needs no key: Apple's payloads may have it in the alert, or as it.
    private static func plain(_ alert: JSONNode) -> String? {
        [alert.text, alert.loose("body")?.text, alert.loose("title")?.text]
            .compactMap(\.self).first { !$0.isEmpty }
    }

    /// Any sender may use Apple's payloads; these four kinds are ICQ's.
    static func isMarked(_ root: JSONNode) -> Bool {
        let key = root.loose("aps")?.loose("alert")?.loose("loc-key")?.text ?? ""
        return ["im2", "newmessages", "ar1", "ar2"].contains(normal(key))
    }

    private static func message(
        _ key: String, _ arguments: [String], plain: String?
    ) -> IncomingMessage {
        func argument(_ index: Int) -> String {
            index < arguments.count ? arguments[index] : ""
        }
        switch normal(key) {
        case "im2":
            // The sender comes first, then the receiver.
            var message = text(
                argument(2), title: argument(0), "icq:\(argument(1)):\(argument(0))")
            message.senderName = argument(0)
            return message
        case "ar1":
            // Here the receiver comes first, then the sender.
            let name = [argument(3), argument(4)].filter { !$0.isEmpty }.joined(separator: " ")
            let shown = name.isEmpty ? argument(2) : "\(name) (\(argument(2)))"
            var message = text(
                "\(shown) asks for authorization", title: shown,
                "icq:\(argument(0)):auth:\(argument(1))")
            message.senderName = argument(2)
            return message
        case "newmessages": return summary("\(argument(0)) new messages", "icq:messages")
        case "ar2": return summary("\(argument(0)) authorization requests", "icq:auth")
        default:
            let shown = plain ?? arguments.joined(separator: " ")
            return text(shown.isEmpty ? key : shown, title: "ICQ", "icq:\(key)")
        }
    }

    private static func text(
        _ text: String, title: String, _ conversation: String
    ) -> IncomingMessage {
        var message = IncomingMessage(
            chat: .conversation(conversation), content: PushContent(.text, text: text))
        message.chatTitle = title
        message.presentation = Presentation(title: title.isEmpty ? "ICQ" : title, body: text)
        return message
    }

    /// A total of unread messages, which replaces the one before.
    private static func summary(_ body: String, _ conversation: String) -> IncomingMessage {
        var message = text(body, title: "ICQ", conversation)
        message.name = conversation
        message.replacement = .anew
        return message
    }

    /// The end of the year 9999, the last time that RFC 3339 can express.
    private static let latest: Int64 = 253_402_300_799

    /// The names in the payload, in the form in which a client asks for them.
    private static func data(_ key: String, _ arguments: [JSONNode]) -> String {
        let names =
            switch key {
            case "im2": ["srcId", "destName"]
            case "ar1": ["destName", "srcId", "srcName"]
            default: [String]()
            }
        return PayloadData.text(zip(names, arguments).map { ($0, $1) })
    }

    /// The registration's own sentence for single messages.
    private static func sentence(
        _ presentation: SourcePresentation, _ arguments: [String], time: Int64
    ) -> String {
        let values = presentation.arguments.map { name in
            switch name {
            case "srcId", "srcName": arguments.first ?? ""
            case "destName": arguments.count > 1 ? arguments[1] : ""
            case "message": arguments.count > 2 ? arguments[2] : ""
            case "timestamp": CivilTime(secondsSince1970: time).rfc3339
            default: ""
            }
        }
        return TemplateText(presentation.sentence).filled(values)
    }

    fileprivate static func normal(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// Replaces curly quotes by straight ones, and cuts stray bytes after the end.
    private static func repaired(_ payload: [UInt8]) -> [UInt8] {
        if (try? JSONDocument(payload)) != nil { return payload }
        var bytes = Array(
            String(decoding: payload, as: UTF8.self)
                .replacing(each: "\u{201C}", by: "\"").replacing(each: "\u{201D}", by: "\"").utf8)
        for _ in 0...strayLimit {
            if (try? JSONDocument(bytes)) != nil { return bytes }
            guard let last = bytes.last, last == UInt8(ascii: "}") || isSpace(last) else { break }
            bytes.removeLast()
        }
        return payload
    }

    /// How many stray bytes are cut: each costs another parse.
    private static let strayLimit = 4

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

extension JSONNode {
    /// The first member whose name matches without regard to case and punctuation.
    fileprivate func loose(_ name: String) -> JSONNode? {
        let wanted = ICQDialect.normal(name)
        return members.first { ICQDialect.normal($0.name) == wanted }?.value
    }
}
