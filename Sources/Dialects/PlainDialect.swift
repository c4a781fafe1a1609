import Base
package import Notifications

/// Plain text, or simple JSON as scripts send it.
package enum PlainDialect {
    private static let limit = 4096

    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        if payload.isEmpty { return [.fetchRequired(reason: "empty", details: [])] }
        if let root = try? JSONDocument(payload).root, root.kind == .object,
            let event = event(root, context)
        {
            return [event]
        }
        let text = String(decoding: payload.prefix(limit), as: UTF8.self)
        var message = IncomingMessage(
            chat: .conversation("plain"), content: PushContent(.text, text: text))
        message.presentation = Presentation(body: text)
        return [.message(message)]
    }

    /// Nil for an object without any known member: it is shown as text.
    private static func event(_ root: JSONNode, _ context: DialectContext) -> Event? {
        let title = root["title"]?.text ?? ""
        guard let body = root["message"]?.text ?? root["body"]?.text ?? (title.isEmpty ? nil : "")
        else { return nil }
        var message = IncomingMessage(
            chat: .conversation("plain:\(root["topic"]?.text ?? "")"),
            content: PushContent(.text, text: body))
        message.senderName = title
        message.chatTitle = root["topic"]?.text ?? ""
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
        if let number = node?.integer { return number }
        switch node?.text {
        case "min": return 1
        case "low": return 2
        case "high": return 4
        case "max", "urgent": return 5
        default: return 3
        }
    }

    private static func apply(
        _ priority: Int64, to presentation: inout Presentation, _ message: inout IncomingMessage
    ) {
        presentation.isCritical = priority >= 5
        presentation.isLow = priority <= 2
        message.isSilent = priority <= 2
    }
}
