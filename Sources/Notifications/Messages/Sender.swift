/// The sender of a message: a person, or a chat.
package enum Sender: Equatable, Sendable {
    case user(Int64)
    case chat(ChatID)

    /// The private chat with the person, or the chat itself.
    var chatID: ChatID {
        switch self {
        case .user(let id): .user(id)
        case .chat(let id): id
        }
    }
}
