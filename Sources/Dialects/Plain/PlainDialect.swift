import Base
package import Notifications

/// Plain text, or simple JSON as scripts send it.
package enum PlainDialect {
    private static let limit = 4096

    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        if payload.isEmpty { return [.fetchRequired(reason: "empty", details: [])] }
        if let root = object(payload), let event = event(root, context) { return [event] }
        let text = String(decoding: payload.prefix(limit), as: UTF8.self)
        var message = IncomingMessage(
            chat: .conversation(chat("")), content: PushContent(.text, text: text))
        message.chatTitle = context.accountTitle
        message.presentation = Presentation(body: text)
        return [.message(message)]
    }

    /// One chat for everything without a topic, whether it has a title or not.
    private static func chat(_ topic: String) -> String { "plain:\(topic)" }

    static func object(_ payload: [UInt8]) -> JSONNode? {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else { return nil }
        return root
    }

    /// The text to show; nil for an object without any known member.
    static func text(_ root: JSONNode) -> String? {
        root["message"]?.text ?? root["body"]?.text
            ?? (root["title"]?.text?.isEmpty == false ? "" : nil)
    }

    /// Nil for an object without any known member: it is shown as text.
    private static func event(_ root: JSONNode, _ context: DialectContext) -> Event? {
        guard let body = text(root) else { return nil }
        let title = root["title"]?.text ?? ""
        let topic = root["topic"]?.text ?? ""
        var message = IncomingMessage(
            chat: .conversation(chat(topic)),
            content: PushContent(.text, text: body))
        message.senderName = title
        message.chatTitle = topic.isEmpty ? context.accountTitle : topic
        var presentation = Presentation(title: title, body: body)
        apply(priority(root["priority"]), to: &presentation, &message)
        presentation.tags = (root["tags"]?.elements ?? []).compactMap(\.text)
        if let tags = root["tags"]?.text {
            presentation.tags = tags.split(separator: ",").map(String.init)
        }
        presentation.link = DeclarativeDialect.link(root["click"])
        presentation.icon = DeclarativeDialect.picture(root["icon"])
        presentation.data = PayloadData.text(root.members(without: shown))
        if let id = root["id"]?.text, !id.isEmpty { message.dedupeKey = "plain:\(id)" }
        message.presentation = presentation
        return .message(message)
    }

    /// Members that only affect how it looks, and are not passed to the application.
    private static let shown: Set = ["title", "message", "body", "priority", "tags", "icon"]

    /// A priority from 1 (lowest) to 5; 3 is normal.
    private static func priority(_ node: JSONNode?) -> Int64 {
        node?.integer ?? node?.text.flatMap(priority) ?? 3
    }

    /// Nil for a word that is none.
    static func priority(_ word: String) -> Int64? {
        switch word.lowercased() {
        case "1", "min": 1
        case "2", "low": 2
        case "3", "default": 3
        case "4", "high": 4
        case "5", "max", "urgent": 5
        default: nil
        }
    }

    private static func apply(
        _ priority: Int64, to presentation: inout Presentation, _ message: inout IncomingMessage
    ) {
        presentation.isCritical = priority >= 5
        presentation.isHigh = priority == 4
        presentation.isLow = priority <= 2
        message.isSilent = priority <= 2
    }
}
