import Base

/// Declarative Web Push: payloads that describe their notification themselves.
package enum DeclarativeDialect {
    /// The number that marks such a payload (the RFC number of Web Push).
    private static let mark: Int64 = 8030

    static func isMarked(_ root: JSONNode) -> Bool {
        root["web_push"]?.integer == mark && root["notification"]?.kind == .object
    }

    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = try? JSONDocument(payload).root, isMarked(root),
            let notification = root["notification"],
            let title = notification["title"]?.text, !title.isEmpty
        else { return PlainDialect.events(payload, context) }
        let body = notification["body"]?.text ?? ""
        var message = IncomingMessage(
            chat: .conversation("web"), content: PushContent(.text, text: body))
        message.senderName = title
        message.isSilent = notification["silent"]?.bool ?? false
        if let tag = notification["tag"]?.text, !tag.isEmpty {
            message.name = "web:\(tag)"
            message.replacement = .inPlace
        }
        var presentation = Presentation(title: title, body: body)
        presentation.language = notification["lang"]?.text ?? ""
        let direction = notification["dir"]?.text ?? ""
        presentation.direction = ["ltr", "rtl", "auto"].contains(direction) ? direction : ""
        presentation.link = link(notification["navigate"] ?? notification["data"]?["url"])
        if context.mayAct { presentation.actions = actions(notification["actions"]) }
        presentation.icon = picture(notification["icon"])
        presentation.data = PayloadData.text([
            ("navigate", notification["navigate"]), ("data", notification["data"]),
        ])
        message.presentation = presentation
        var events: [Event] = [.message(message)]
        if let badge = (notification["app_badge"] ?? root["app_badge"])?.integer, badge >= 0 {
            // The badge comes before the message: a badge of 0 clears what was there, not what
            // comes with it.
            events.insert(.badge(unread: badge, missedCalls: nil), at: 0)
        }
        // The client may change the notification before it is shown.
        if (notification["mutable"] ?? root["mutable"])?.bool == true {
            events.append(.fetchRequired(reason: "mutable", details: []))
        }
        return events
    }

    private static func actions(_ node: JSONNode?) -> [Presentation.Action] {
        (node?.elements ?? []).prefix(actionLimit).compactMap { action in
            guard let name = action["action"]?.text, let label = action["title"]?.text else {
                return nil
            }
            return Presentation.Action(name: name, label: label, link: link(action["navigate"]))
        }
    }

    private static let actionLimit = 4

    /// Pictures are never fetched; only data links are shown.
    static func picture(_ node: JSONNode?) -> String {
        guard let text = node?.text else { return "" }
        let isHeld = ["png", "jpeg"].contains { text.hasPrefix("data:image/\($0);base64,") }
        return isHeld ? text : link(node)
    }

    /// Only https links are accepted.
    static func link(_ node: JSONNode?) -> String { link(node?.text ?? "") }

    static func link(_ text: String) -> String {
        text.lowercased().hasPrefix("https://") ? text : ""
    }
}
