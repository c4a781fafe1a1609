/// What is spoken on a connection: HTTP/1.1, HTTP/2, WebSocket, or lines.
///
/// Owned by its connection, whose output it appends to.
protocol SpokenProtocol: AnyObject {
    static var spoken: HTTPFigures.Spoken { get }
    /// When to call `expired`.
    var deadline: Duration? { get }
    /// Whether more input can be taken now.
    var takesInput: Bool { get }
    /// How the connection is to end once its output has left; nil as long as it goes on.
    var ending: ConnectionEnding? { get }
    /// All three, asked for once after each event.
    var wishes: SpokenProtocolWishes { get }

    /// The bytes may be changed in place.
    func receive(_ input: inout MutableSpan<UInt8>)
    /// Appends what can be sent now, when all that was appended before has left.
    func produce()
    func expired()
    /// The server is about to stop: nothing new is begun.
    func stop()
    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8])
    /// Hands the connection over; asked only for exchanges whose version knows upgrades.
    func upgrade(_ exchange: HTTPExchange, by acceptance: WebSocketAcceptance)
    /// The connection has ended.
    func closed()
}

/// What a protocol wants of its connection until the next event.
struct SpokenProtocolWishes {
    var deadline: Duration?
    var takesInput = false
    var ending: ConnectionEnding?
}

enum ConnectionEnding {
    case close
    /// The peer may still be sending, and is to read our last word before it notices.
    case linger
}

/// A protocol of requests and answers; WebSocket is none.
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
