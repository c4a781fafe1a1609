import Base

/// Plain text, or simple JSON as scripts send it.
package enum PlainDialect {
    private static let limit = 4096

    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        if payload.isEmpty { return [.fetchRequired(reason: "empty", details: [])] }
        if let root = object(payload), let message = message(root, context) {
            return [.message(message)]
        }
        let text = String(decoding: payload.prefix(limit), as: UTF8.self)
        var message = IncomingMessage(
            chat: .conversation(chat("")), content: PushContent(.text, text: text))
        message.chatTitle = context.accountTitle
        message.presentation = Presentation(body: text)
        return [.message(message)]
    }

    /// What this server wrote of a message of a topic, which may do more than what a sender writes.
    static func eventsOfTopic(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = object(payload), var message = message(root, context) else {
            return events(payload, context)
        }
        message.presentation?.isMarkdown = root["markdown"]?.bool ?? false
        message.presentation?.data = PayloadData.text(root.members(without: shownOfTopic))
        if context.mayAct {
            message.presentation?.actions = Presentation.Action.list(root["actions"])
        }
        return [.message(message)]
    }

    /// One chat for everything without a topic, whether it has a title or not.
    static func chat(_ topic: String) -> String { "plain:\(topic)" }

    static func object(_ payload: [UInt8]) -> JSONNode? {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else { return nil }
        return root
    }

    /// Nil for an object without any known member: it is shown as text.
    private static func message(
        _ root: JSONNode, _ context: DialectContext
    ) -> IncomingMessage? {
        let said = PlainMembers(root)
        guard let body = said.body else { return nil }
        let title = SenderFields.cut(Array((said.text(.title) ?? "").utf8))
        let topic = root["topic"]?.text ?? ""
        var message = IncomingMessage(
            chat: .conversation(chat(topic)),
            content: PushContent(.text, text: body))
        message.senderName = title
        message.chatTitle = topic.isEmpty ? context.accountTitle : topic
        var presentation = Presentation(title: title, body: body)
        apply(said.priority ?? root["priority"]?.integer ?? 3, to: &presentation, &message)
        presentation.tags = said.tags
        presentation.link = said.text(.click).map(SenderFields.link) ?? ""
        presentation.icon = DeclarativeDialect.picture(root["icon"])
        presentation.data = PayloadData.text(root.members(without: shown))
        // A state of something that may be on the screen already.
        if root["sequence_id"]?.text?.isEmpty == false { message.replacement = .inPlace }
        if let id = root["id"]?.text, !id.isEmpty { message.dedupeKey = "plain:\(id)" }
        message.presentation = presentation
        return message
    }

    /// Members that only affect how it looks, and are not passed to the application.
    private static let shown: Set = ["title", "message", "body", "priority", "tags", "icon"]
    private static let shownOfTopic = shown.union(["actions", "markdown"])

    /// A priority from 1 (lowest) to 5; 3 is normal.
    static func priority(_ node: JSONNode) -> Int64? { node.textOrNumber.flatMap(priority) }

    /// The priority from 1 to 5 that a payload says; nil for none.
    package static func priority(of payload: [UInt8]) -> Int64? {
        object(payload).flatMap { PlainMembers($0).priority }
    }

    /// Nil for a word that is none.
    package static func priority(_ word: String) -> Int64? {
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

/// What JSON says about its notification, in the names of header fields. Of several members for one
/// field the first counts that can be used.
struct PlainMembers {
    let root: JSONNode
    private let said: [(field: SenderField, node: JSONNode)]

    init(_ root: JSONNode) {
        self.root = root
        said = root.members.compactMap { name, value in
            guard let field = SenderField(name), value.saysSomething else { return nil }
            return (field, value)
        }
    }

    func first<Value>(_ field: SenderField, _ read: (JSONNode) -> Value?) -> Value? {
        for (known, node) in said where known == field {
            if let value = read(node) { return value }
        }
        return nil
    }

    func text(_ field: SenderField) -> String? { first(field, \.text) }

    /// The text to show; nil for an object without any known member. A letter alone may be data of the
    /// sender's own, so one of the words is needed.
    var body: String? {
        let body = root["body"]?.text
        let isWord =
            body != nil || root["message"]?.text != nil || root["title"]?.text?.isEmpty == false
        return isWord ? text(.message) ?? body ?? "" : nil
    }

    var priority: Int64? { first(.priority, PlainDialect.priority) }

    /// A list, or a text with commas.
    var tags: [String] {
        guard let tags = first(.tags, { $0 }) else { return [] }
        if let text = tags.text { return SenderFields.tags(text) }
        return Array(tags.elements.compactMap(\.text).prefix(SenderFields.tagsLimit))
    }
}
