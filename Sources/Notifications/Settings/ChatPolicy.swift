/// What a push may change without a client.
package enum ChatPolicy: String, Sendable {
    /// A push does exactly what it does in TDLib: it changes only chats that the client named, and
    /// shows only what TDLib itself shows.
    case strict
    /// The policy for an account without a client that owns the data: pushes create chats, reading
    /// removes notifications, settings always apply, and everything documented is shown.
    case learn
}
