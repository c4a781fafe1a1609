/// Handles a WebSocket. All calls come on the loop of the connection, which keeps the handler alive
/// until `closed`.
package protocol WebSocketHandler: AnyObject {
    /// The opening handshake is done. Messages sent here leave together with its answer.
    func opened(_ connection: WebSocketConnection, subprotocol: String?)

    /// A complete message, valid UTF-8. The bytes are valid during the call.
    func received(text: Span<UInt8>, on connection: WebSocketConnection)

    func received(binary: Span<UInt8>, on connection: WebSocketConnection)

    /// The connection was congested, and all waiting output has been sent.
    func drained(_ connection: WebSocketConnection)

    /// The last call; it comes once. Nothing can be sent any more.
    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection)
}

extension WebSocketHandler {
    package func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
        connection.close(.unacceptable)
    }

    package func drained(_ connection: WebSocketConnection) {}
}

/// What all WebSockets of one kind share.
package final class WebSocketTerms: Sendable {
    let subprotocols: [String]
    let session: WebSocketSession.Limits
    let pressure: BackPressure

    /// A connection with more than `congestion` unsent bytes is congested; one with more than
    /// `outputLimit` is cut, because its peer has not read for too long.
    package init(
        subprotocols: [String] = [], session: WebSocketSession.Limits,
        congestion: Int = 64 * 1024, outputLimit: Int = 1024 * 1024
    ) {
        self.subprotocols = subprotocols
        self.session = session
        pressure = BackPressure(low: 0, high: congestion, limit: outputLimit)
    }
}

/// An open WebSocket of a server or a client. Only the thread of its loop uses it.
///
/// Output is written once at the end of the loop's turn.
package final class WebSocketConnection {
    /// The carrier is unowned, because it calls `closed` before it goes away.
    @exclusivity(unchecked) private unowned(unsafe) var carrier: HTTPConnection?
    private let sendQueue: SendQueue
    @exclusivity(unchecked) private var handler: (any WebSocketHandler)?
    /// The state is allocated separately, because the exclusivity checks of a property would cost
    /// more than the rest of a message. No handler is called while the state is accessed.
    private let state: UnsafeMutablePointer<State>
    /// When to call the session's `elapsed`. Input does not update it: one unneeded call is cheaper
    /// than a timer for each message.
    @exclusivity(unchecked) private var alarm: Duration
    @exclusivity(unchecked) private(set) var ending: ConnectionEnding?
    @exclusivity(unchecked) private var isFlushedByCarrier = false
    @exclusivity(unchecked) private var isWaiting = false
    @exclusivity(unchecked) private var isCut = false
    @exclusivity(unchecked) private var isHeldUp = false

    init(
        _ terms: WebSocketTerms, maskingKeys: WebSocketEncoder.MaskingKeys? = nil,
        _ handler: any WebSocketHandler, on carrier: HTTPConnection
    ) {
        self.carrier = carrier
        sendQueue = carrier.sendQueue
        self.handler = handler
        let session = WebSocketSession(
            limits: terms.session, maskingKeys: maskingKeys, at: carrier.now)
        alarm = session.deadline
        state = .allocate(capacity: 1)
        state.initialize(to: State(session: session, pressure: terms.pressure))
    }

    deinit { state.deinitialize(count: 1).deallocate() }

    private struct State {
        var session: WebSocketSession
        var pressure: BackPressure
    }

    /// Whether messages can be sent.
    package var isOpen: Bool { carrier != nil && !isCut && state.pointee.session.isOpen }

    package var bufferedBytes: Int { carrier?.bufferedBytes ?? 0 }

    /// Whether to wait for `drained` before sending more than a little.
    package var isCongested: Bool { state.pointee.pressure.isPaused }

    /// False if the connection has ended or is about to.
    @discardableResult
    package func send(text: Span<UInt8>) -> Bool { send(.text, text) }

    /// Sends a text of about `length` bytes, which `write` appends directly to the output.
    @discardableResult
    package func send(textOfAbout length: Int, _ write: (inout [UInt8]) -> Void) -> Bool {
        send { session, output in session.send(.text, expecting: length, to: &output, write) }
    }

    @discardableResult
    package func send(text: String) -> Bool {
        var text = text
        return text.withUTF8 { send(.text, Span(_unsafeElements: $0)) }
    }

    @discardableResult
    package func send(binary: Span<UInt8>) -> Bool { send(.binary, binary) }

    /// Stops answering pings, so that the peer does not take a pong as a sign that more was
    /// recorded.
    package func holdPongs() { state.pointee.session.holdPongs() }

    /// Answers the newest held ping, and from now on all pings.
    package func releasePong() {
        guard let carrier, !isCut else { return }
        sendQueue.lend(&carrier.output)
        state.pointee.session.releasePong(to: &carrier.output)
        flushLater()
    }

    /// Stops or resumes reading from a peer that asks faster than it can be served. Messages that
    /// were already read are still delivered.
    package func setReading(_ isReading: Bool) {
        guard isHeldUp == isReading else { return }
        isHeldUp = !isReading
        if isReading, carrier != nil { flushLater() }
    }

    /// Begins the closing handshake. `closed` follows, at the latest when the peer's time is over.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        guard let carrier, isOpen else { return }
        isHeldUp = false
        state.pointee.session.close(
            WebSocketClose(code: code, reason: reason), at: carrier.now, to: &carrier.output)
        alarm = state.pointee.session.deadline
        flushLater()
    }

    private func send(_ opcode: WebSocketOpcode, _ payload: Span<UInt8>) -> Bool {
        send { session, output in session.send(opcode, payload, to: &output) }
    }

    @inline(__always)
    private func send(_ append: (inout WebSocketSession, inout [UInt8]) -> Bool) -> Bool {
        guard let carrier, !isCut else { return false }
        sendQueue.lend(&carrier.output)
        guard append(&state.pointee.session, &carrier.output) else { return false }
        isCut = state.pointee.pressure.buffered(carrier.bufferedBytes) == .cut
        flushLater()
        return !isCut
    }

    /// A cut connection waits as well, so that `closed` is never called from within `send`.
    private func flushLater() {
        guard !isWaiting, isCut || !isFlushedByCarrier else { return }
        isWaiting = true
        sendQueue.flushLater(self)
    }
}

extension WebSocketConnection: QueuedSender {
    func flushNow() {
        isWaiting = false
        guard isCut else {
            carrier?.flush()
            return
        }
        ended(.congested)
        carrier?.close()
    }
}

/// What the carrier of this connection calls.
extension WebSocketConnection: SpokenProtocol {
    static var spoken: HTTPFigures.Spoken { .webSocket }

    var deadline: Duration? { alarm }

    /// A peer that does not read gets no more of its messages read: they would only cause more
    /// output.
    var takesInput: Bool {
        ending == nil && !isHeldUp && bufferedBytes < HTTPConnection.outputMark
    }

    /// The answer to the opening handshake is in the output, or was read.
    func open(subprotocol: String?) {
        isFlushedByCarrier = true
        handler?.opened(self, subprotocol: subprotocol)
        isFlushedByCarrier = false
    }

    func receive(_ input: inout MutableSpan<UInt8>) {
        guard let carrier else { return }
        isFlushedByCarrier = true
        defer { isFlushedByCarrier = false }
        let now = carrier.now
        state.pointee.session.heard(at: now)
        var position = 0
        while !isCut,
            let delivery = state.pointee.session.next(
                in: &input, at: &position, now, output: &carrier.output)
        {
            deliver(delivery, input.span)
        }
    }

    /// Everything was sent: it needs no buffer for now.
    func produce() {
        guard let carrier else { return }
        sendQueue.takeBack(&carrier.output)
        guard state.pointee.pressure.buffered(0) == .resume else { return }
        isFlushedByCarrier = true
        handler?.drained(self)
        isFlushedByCarrier = false
    }

    func expired() {
        guard let carrier else { return }
        let end = state.pointee.session.elapsed(at: carrier.now, output: &carrier.output)
        alarm = state.pointee.session.deadline
        guard let end else { return }
        ended(end)
        // Nobody reads the rest.
        carrier.close()
    }

    func stop() { close(.goingAway) }

    func closed() {
        carrier = nil
        ended(.lost)
    }

    private func deliver(_ delivery: WebSocketDelivery, _ input: Span<UInt8>) {
        switch delivery {
        case .text(let payload):
            payload.withSpan(in: input) { handler?.received(text: $0, on: self) }
        case .binary(let payload):
            payload.withSpan(in: input) { handler?.received(binary: $0, on: self) }
        case .end(let end):
            switch end {
            // A peer that broke the rules may still be sending and shall be able to read why it
            // ends.
            case .failed: ending = .linger
            // The server ends the connection (RFC 6455 section 7.1.1).
            case .closed where state.pointee.session.isClient:
                alarm = state.pointee.session.deadline
            default: ending = .close
            }
            ended(end)
        }
    }

    private func ended(_ end: WebSocketEnd) {
        handler.take()?.closed(end, on: self)
    }
}
