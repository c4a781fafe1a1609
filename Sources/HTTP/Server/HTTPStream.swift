/// Handles an answer that is a stream. All calls come on the loop of the connection, which keeps
/// the handler alive until `closed`, or until the handler ends the stream.
package protocol HTTPStreamHandler: AnyObject {
    /// The stream was congested, and all its output has been sent.
    func drained(_ stream: HTTPStream)

    /// The reader is gone, or does not read, or the server is about to stop. The last call; it
    /// comes once, and not after `end`. Nothing can be written any more.
    func closed(_ stream: HTTPStream)
}

extension HTTPStreamHandler {
    package func drained(_ stream: HTTPStream) {}
}

/// What all streams of one kind share.
package final class HTTPStreamTerms: Sendable {
    let pressure: BackPressure
    let patience: Duration
    /// A body that the server cannot finish is not whole.
    let isOneAnswer: Bool

    /// A stream with more than `congestion` unsent bytes is congested. One with more than
    /// `outputLimit` is cut, and one whose reader has not taken everything within `patience`. A
    /// reader that was unplugged is noticed in that time, too, once something is written.
    package init(
        congestion: Int = 64 * 1024, outputLimit: Int = 1024 * 1024,
        patience: Duration = .seconds(60), isOneAnswer: Bool = false
    ) {
        self.isOneAnswer = isOneAnswer
        pressure = BackPressure(low: 0, high: congestion, limit: outputLimit)
        self.patience = patience
    }
}

/// An answer whose body is written piece by piece, for as long as its reader stays. Only the thread
/// of its loop uses it.
///
/// Output leaves at the end of the loop's turn, together with all other output of its connection.
package final class HTTPStream {
    /// Zero in HTTP/1.1.
    let id: HTTP2StreamID
    let terms: HTTPStreamTerms
    /// The carrier is unowned, because it calls `lost` before it goes away. Nil once the stream has
    /// ended.
    @exclusivity(unchecked) private unowned(unsafe) var carrier: (any HTTPStreamCarrier)?
    @exclusivity(unchecked) private var handler: (any HTTPStreamHandler)?
    @exclusivity(unchecked) private var pressure: BackPressure
    /// There is output of which it is not known whether it was sent; at first that is the head.
    @exclusivity(unchecked) private(set) var hasOutput = true
    @exclusivity(unchecked) private var isCut = false

    init(
        _ id: HTTP2StreamID, _ terms: HTTPStreamTerms, _ handler: any HTTPStreamHandler,
        on carrier: any HTTPStreamCarrier
    ) {
        self.id = id
        self.terms = terms
        self.handler = handler
        self.carrier = carrier
        pressure = terms.pressure
    }

    /// Whether more can be written.
    package var isOpen: Bool { carrier != nil && !isCut }

    /// How much output waits for the reader.
    package var bufferedBytes: Int { carrier?.bufferedBytes(of: self) ?? 0 }

    /// Whether to wait for `drained` before writing more than a little.
    package var isCongested: Bool { pressure.isPaused }

    /// False if the stream has ended or is about to.
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard let carrier, !isCut else { return false }
        // An empty chunk would end the body.
        guard !bytes.isEmpty else { return true }
        hasOutput = true
        carrier.write(bytes, to: self)
        isCut = pressure.buffered(carrier.bufferedBytes(of: self)) == .cut
        // `closed` is never called from within `write`.
        if isCut { carrier.sendQueue.flushLater(self) }
        return !isCut
    }

    @discardableResult
    package func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { write(Span(_unsafeElements: $0)) }
    }

    /// Ends the body. The connection goes on with other requests.
    package func end() {
        guard let carrier, !isCut else { return }
        (self.carrier, handler) = (nil, nil)
        carrier.end(self)
    }

    /// Ends the body so that the reader sees that it is not complete. `closed` follows.
    package func cut() {
        guard let carrier, !isCut else { return }
        isCut = true
        carrier.sendQueue.flushLater(self)
    }
}

/// What the carrier calls.
extension HTTPStream {
    /// All output of the stream was sent.
    func sent() {
        hasOutput = false
        guard pressure.buffered(0) == .resume, !isCut else { return }
        handler?.drained(self)
    }

    /// The server is about to stop, or the reader asks for the end.
    func stop() {
        guard !terms.isOneAnswer else { return cut() }
        let handler = handler.take()
        end()
        handler?.closed(self)
    }

    /// Nothing can be sent any more.
    func lost() {
        carrier = nil
        handler.take()?.closed(self)
    }
}

extension HTTPStream: QueuedSender {
    func flushNow() { carrier?.giveUp(self) }
}

/// A protocol with answers that are streams.
protocol HTTPStreamCarrier: AnyObject {
    var sendQueue: SendQueue { get }

    func bufferedBytes(of stream: HTTPStream) -> Int
    func write(_ bytes: Span<UInt8>, to stream: HTTPStream)
    func end(_ stream: HTTPStream)
    /// The reader does not read.
    func giveUp(_ stream: HTTPStream)
}
