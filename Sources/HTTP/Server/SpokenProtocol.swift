/// The protocol of a connection: HTTP/1.1, HTTP/2, WebSocket, or lines.
///
/// Its connection owns it, and it appends to the connection's output.
protocol SpokenProtocol: AnyObject {
    static var spoken: HTTPFigures.Spoken { get }
    /// When to call `expired`.
    var deadline: Duration? { get }
    /// Whether more input can be accepted now.
    var takesInput: Bool { get }
    /// How the connection shall end once its output was sent; nil while it continues.
    var ending: ConnectionEnding? { get }
    /// All three together, asked once after each event.
    var wishes: SpokenProtocolWishes { get }

    /// May change the bytes in place.
    func receive(_ input: inout MutableSpan<UInt8>)
    /// Appends more output; called when all earlier output was sent.
    func produce()
    func expired()
    /// The server is about to stop: begin nothing new.
    func stop()
    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8])
    /// Hands the connection over; called only for versions with upgrades.
    func upgrade(_ exchange: HTTPExchange, by acceptance: WebSocketAcceptance)
    /// The connection has ended.
    func closed()
}

/// What a protocol needs from its connection until the next event.
struct SpokenProtocolWishes {
    var deadline: Duration?
    var takesInput = false
    var ending: ConnectionEnding?
}

enum ConnectionEnding {
    case close
    /// The peer may still be sending and shall be able to read our last bytes.
    case linger
}

/// A protocol with requests and answers, unlike WebSocket.
protocol HTTPResponder: SpokenProtocol {
    func receive(_ input: Span<UInt8>)
}

extension HTTPResponder {
    func receive(_ input: inout MutableSpan<UInt8>) { receive(input.span) }
    func closed() {}
}

extension SpokenProtocol {
    var wishes: SpokenProtocolWishes {
        SpokenProtocolWishes(deadline: deadline, takesInput: takesInput, ending: ending)
    }

    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {}
    func upgrade(_ exchange: HTTPExchange, by acceptance: WebSocketAcceptance) {}
}
