import System

/// The protocol of a connection: HTTP/1.1, HTTP/2, WebSocket, or lines.
///
/// Its connection owns it, and it appends to the connection's output.
protocol SpokenProtocol: AnyObject {
    static var spoken: HTTPFigures.Spoken { get }
    /// When to call `expired`.
    var deadline: Duration? { get }
    /// Whether more input can be accepted now.
    var takesInput: Bool { get }
    /// Whether the peer has asked for something that was not written yet, and that has an end. Then the
    /// connection stays until it has that, even if the peer sends no more.
    var owesAnswer: Bool { get }
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
    /// Answers with a head and a body to be written later; nil if there is nobody to write it to.
    func stream(
        _ exchange: HTTPExchange, _ head: ResponseHead, _ terms: HTTPStreamTerms,
        to handler: any HTTPStreamHandler
    ) -> HTTPStream?
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
}

extension SpokenProtocol {
    var wishes: SpokenProtocolWishes {
        SpokenProtocolWishes(deadline: deadline, takesInput: takesInput, ending: ending)
    }

    var owesAnswer: Bool { false }

    func respond(to exchange: HTTPExchange, _ head: ResponseHead, _ body: [UInt8]) {}
    func stream(
        _ exchange: HTTPExchange, _ head: ResponseHead, _ terms: HTTPStreamTerms,
        to handler: any HTTPStreamHandler
    ) -> HTTPStream? { nil }
    func upgrade(_ exchange: HTTPExchange, by acceptance: WebSocketAcceptance) {}
}

/// Sends its output at the end of the loop's turn.
protocol QueuedSender: AnyObject {
    func flushNow()
}

/// Collects the connections of one loop that have output. At the end of a turn each is written with
/// one call, and buffers are passed from one connection to the next.
///
/// Writing in a row is also faster than writing between reads, because the code stays in the cache.
// Unchecked: it is used only on the thread of the loop.
final class SendQueue: @unchecked Sendable {
    private static let flushesPerCall = 256
    private static let buffersKept = 32
    private static let bufferKept = 64 * 1024
    private static let roomKept = 1_024

    private let loop: EventLoop
    @exclusivity(unchecked) private var waiting: [any QueuedSender] = []
    @exclusivity(unchecked) private var next = 0
    @exclusivity(unchecked) private var spares: [[UInt8]] = []

    init(on loop: EventLoop) { self.loop = loop }

    func flushLater(_ sender: any QueuedSender) {
        if waiting.isEmpty { post() }
        waiting.append(sender)
    }

    /// An idle connection holds no buffer. A spare one usually has enough capacity.
    func lend(_ output: inout [UInt8]) {
        if output.capacity == 0, let spare = spares.popLast() { output = spare }
    }

    func takeBack(_ output: inout [UInt8]) {
        guard output.isEmpty, output.capacity > 0 else { return }
        if spares.count < Self.buffersKept, output.capacity <= Self.bufferKept {
            spares.append(output)
        }
        output = []
    }

    private func post() {
        loop.post { self.flush() }
    }

    private func flush() {
        let end = min(next + Self.flushesPerCall, waiting.count)
        while next < end {
            let sender = waiting[next]
            next += 1
            sender.flushNow()
        }
        if next < waiting.count { return post() }
        waiting.removeAll(keepingCapacity: waiting.capacity <= Self.roomKept)
        next = 0
    }
}
