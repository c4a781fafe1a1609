import Base

/// What the webhook of a service says about one thing, in the form that all of them share.
struct Note {
    /// What it is about, such as a repository; notifications about one thing form a conversation.
    let conversation: String
    let conversationTitle: String
    /// A later note with this name takes its place, or takes it back; empty if none can.
    var name = ""
    var replacement = Replacement.inPlace
    var isGroup = true
    var title: String
    let body: String
    var link = ""
    /// A picture that it holds, or a link to one.
    var icon = ""
    var actions: [Presentation.Action] = []
    var tags: [String] = []
    var urgency = Presentation.Urgency.normal

    var event: Event {
        var message = IncomingMessage(
            chat: .conversation(conversation), content: PushContent(.text, text: body))
        message.chatTitle = conversationTitle
        message.senderName = title
        message.isGroup = isGroup
        message.name = name
        message.replacement = replacement
        message.isSilent = urgency == .low
        var presentation = Presentation(title: title, body: body)
        (presentation.link, presentation.urgency, presentation.tags) = (link, urgency, tags)
        (presentation.icon, presentation.actions) = (icon, actions)
        message.presentation = presentation
        return .message(message)
    }
}

/// Texts of other services, cut to what is shown.
enum NoteText {
    static let titleLimit = 200
    static let bodyLimit = 1_000
    /// A name that was cut could be that of another thing, so longer ones are none.
    static let nameLimit = 128
    private static let linkLimit = 1_024

    /// The text, cut between two characters to that many bytes.
    static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var cut = ""
        var room = limit
        for scalar in text.unicodeScalars {
            room -= scalar.utf8.count
            guard room >= 0 else { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut + "…"
    }

    static func title(_ node: JSONNode?) -> String? { text(node, titleLimit) }

    static func body(_ node: JSONNode?) -> String? { text(node, bodyLimit) }

    /// Nil for anything but a text that says something.
    static func text(_ node: JSONNode?, _ limit: Int) -> String? {
        guard let text = node?.text, !text.allSatisfy(\.isWhitespace) else { return nil }
        return cut(text, limit)
    }

    /// A text or a number that identifies something; nil if it is missing or too long.
    static func name(_ node: JSONNode?) -> String? {
        guard let name = node?.textOrNumber, (1...nameLimit).contains(name.utf8.count) else {
            return nil
        }
        return name
    }

    /// The first of these that is a link.
    static func link(_ nodes: JSONNode?...) -> String {
        nodes.lazy.map(DeclarativeDialect.link)
            .first { $0.utf8.count > "https://".utf8.count && $0.utf8.count <= linkLimit } ?? ""
    }
}
