/// How much a push alone may do.
package enum ChatPolicy: String, Sendable {
    /// TDLib to the letter: only chats that the client named, only what TDLib itself shows.
    case strict
    /// For an account without a client that owns the data: pushes introduce chats, reading removes,
    /// settings always apply, and everything that is documented is shown.
    case learn
}
