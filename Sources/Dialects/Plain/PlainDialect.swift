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
    static func chat(_ topic: String) -> String { "plain:\(topic)" }

    static func object(_ payload: [UInt8]) -> JSONNode? {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else { return nil }
        return root
    }

    /// The text to show; nil for an object without any known member. A letter alone may be data of the
    /// sender's own, so one of the words is needed.
    static func text(_ root: JSONNode) -> String? {
        let words = [root["message"]?.text, root["body"]?.text, root["title"].flatMap(nonEmpty)]
        guard words.contains(where: { $0 != nil }) else { return nil }
        return root.firstText(of: .message) ?? root["body"]?.text ?? ""
    }

    private static func nonEmpty(_ node: JSONNode) -> String? {
        node.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Nil for an object without any known member: it is shown as text.
    private static func event(_ root: JSONNode, _ context: DialectContext) -> Event? {
        guard let body = text(root) else { return nil }
        let title = SenderFields.cut(Array((root.firstText(of: .title) ?? "").utf8))
        let topic = root["topic"]?.text ?? ""
        var message = IncomingMessage(
            chat: .conversation(chat(topic)),
            content: PushContent(.text, text: body))
        message.senderName = title
        message.chatTitle = topic.isEmpty ? context.accountTitle : topic
        var presentation = Presentation(title: title, body: body)
        apply(priority(of: root) ?? root["priority"]?.integer ?? 3, to: &presentation, &message)
        presentation.tags = tags(root)
        presentation.link = link(root)
        presentation.icon = DeclarativeDialect.picture(root["icon"])
        presentation.data = PayloadData.text(root.members(without: shown))
        if let id = root["id"]?.text, !id.isEmpty { message.dedupeKey = "plain:\(id)" }
        message.presentation = presentation
        return .message(message)
    }

    /// Members that only affect how it looks, and are not passed to the application.
    private static let shown: Set = ["title", "message", "body", "priority", "tags", "icon"]

    /// A list, or a text with commas.
    static func tags(_ root: JSONNode) -> [String] {
        guard let tags = root.values(of: .tags).first else { return [] }
        if let text = tags.text { return SenderFields.tags(text) }
        return Array(tags.elements.compactMap(\.text).prefix(SenderFields.tagsLimit))
    }

    static func link(_ root: JSONNode) -> String {
        DeclarativeDialect.link(root.firstText(of: .click).map(SenderFields.link) ?? "")
    }

    /// A priority from 1 (lowest) to 5; 3 is normal.
    static func priority(of root: JSONNode) -> Int64? {
        root.values(of: .priority).lazy.compactMap { priority($0) }.first
    }

    static func priority(_ node: JSONNode) -> Int64? { node.textOrNumber.flatMap(priority) }

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
        presentation.urgency = urgency(priority)
        message.isSilent = priority <= 2
    }

    static func urgency(_ priority: Int64) -> Presentation.Urgency {
        switch priority {
        case ...2: .low
        case 3: .normal
        case 4: .high
        default: .critical
        }
    }
}
