import Base
import Notifications

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
