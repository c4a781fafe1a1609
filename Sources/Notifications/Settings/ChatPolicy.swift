/// What a push may change without a client.
package enum ChatPolicy: String, Sendable {
    /// Exactly as TDLib: only chats that the client named, only what TDLib itself shows.
    case strict
    /// For an account without a client that owns the data: pushes create chats, reading removes
    /// notifications, settings always apply, and everything documented is shown.
    case learn
}
