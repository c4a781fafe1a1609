/// What is spoken on a connection of a server: HTTP/1.1 or HTTP/2.
///
/// Owned by its connection, whose output it appends to.
protocol ServerProtocol: AnyObject {
    /// When to call `expired`.
    var deadline: Duration? { get }
    /// Whether more input can be taken now.
    var takesInput: Bool { get }
    /// How the connection is to end once its output has left; nil as long as it goes on.
    var ending: ConnectionEnding? { get }

    func receive(_ input: Span<UInt8>)
    /// Appends what can be sent now, when all that was appended before has left.
    func produce()
    func expired()
    /// The server is about to stop: nothing new is begun.
    func stop()
    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8])
}

enum ConnectionEnding {
    case close
    /// The peer may still be sending, and is to read our last word before it notices.
    case linger
}
