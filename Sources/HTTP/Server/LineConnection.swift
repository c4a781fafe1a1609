import Base

/// A connection on which both sides send lines. Only the thread of its loop uses it.
package final class LineConnection {
    /// A longer line, or more unread output, ends the connection.
    private static let lineLimit = 1 << 20
    private static let outputLimit = 2 << 20

    /// The carrier is unowned, because it calls `closed` before it goes away.
    @exclusivity(unchecked) private unowned(unsafe) var carrier: HTTPConnection?
    @exclusivity(unchecked) private var handler: (any LineHandler)?
    @exclusivity(unchecked) private var lines = LineSplitter(limit: LineConnection.lineLimit)
    @exclusivity(unchecked) private var isReceiving = false
    @exclusivity(unchecked) private var isHeldUp = false
    @exclusivity(unchecked) private(set) var ending: ConnectionEnding?

    init(on carrier: HTTPConnection, _ handler: any LineHandler) {
        self.carrier = carrier
        self.handler = handler
    }

    func open() { handler?.opened(self) }

    /// Sends the lines together. Sends nothing once the connection is about to end.
    package func send(lines: [[UInt8]]) {
        guard let carrier, ending == nil else { return }
        for line in lines {
            carrier.output += line
            carrier.output.append(UInt8(ascii: "\n"))
        }
        guard !isReceiving else { return }
        carrier.flush()
        cutIfSlow()
    }

    /// Stops or resumes reading from a peer that asks faster than it can be served. Lines that were
    /// already read are still delivered.
    package func setReading(_ isReading: Bool) {
        guard isHeldUp == isReading else { return }
        isHeldUp = !isReading
        if isReading, !isReceiving { carrier?.flush() }
    }

    /// Ends the connection once all output has been sent.
    package func close() {
        guard ending == nil else { return }
        ending = .close
        if !isReceiving { carrier?.flush() }
    }

    /// Ends the connection at once.
    package func cut() { carrier?.close() }

    private func cutIfSlow() {
        if let carrier, carrier.bufferedBytes > Self.outputLimit { carrier.close() }
    }
}

extension LineConnection: SpokenProtocol {
    static var spoken: HTTPFigures.Spoken { .lines }

    var deadline: Duration? { nil }

    /// A peer that does not read gets no more of its lines read: they would only cause more output.
    var takesInput: Bool { ending == nil && !isHeldUp && carrier?.isCongested == false }

    func receive(_ input: inout MutableSpan<UInt8>) {
        isReceiving = true
        defer { isReceiving = false }
        lines.append(input.span)
        while ending == nil, let line = lines.next() {
            switch line {
            case .bytes(let line): handler?.received(line: line.span, on: self)
            case .tooLong: ending = .close
            }
        }
        if lines.isOverlong { ending = .close }
    }

    func produce() {}
    func expired() {}
    func stop() { close() }

    func closed() {
        carrier = nil
        handler.take()?.closed(self)
    }
}

/// Handles a connection that carries lines instead of HTTP. All calls come on the loop of the
/// connection, which keeps the handler alive until `closed`.
package protocol LineHandler: AnyObject {
    func opened(_ connection: LineConnection)

    /// A complete line without its end. The bytes are valid during the call.
    func received(line: Span<UInt8>, on connection: LineConnection)

    /// The last call; it comes once.
    func closed(_ connection: LineConnection)
}
