/// Who may subscribe over the WebSocket.
package enum RegistrationMode: String, Sendable, CaseIterable {
    case open
    case token
}
