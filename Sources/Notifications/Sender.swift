/// Who wrote a message: a person, or a chat that speaks for itself.
package enum Sender: Equatable, Sendable {
    case user(Int64)
    case chat(ChatID)
}
