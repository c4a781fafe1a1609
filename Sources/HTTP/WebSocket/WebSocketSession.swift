/// One end of an open WebSocket: decoder, encoder, pings and the closing handshake together.
///
/// It is pure state: bytes and the time go in, bytes are appended to `output`. It writes pongs and
/// close frames by itself. All times are of one monotonic clock.
package struct WebSocketSession: Sendable {
    /// All sessions of a kind share it: there may be many, and most are idle.
    package final class Limits: Sendable {
        package let messageLimit: Int
        package let silence: Duration
        package let pongPatience: Duration
        package let closePatience: Duration

        package init(
            messageLimit: Int, silence: Duration = .seconds(240),
            pongPatience: Duration = .seconds(20), closePatience: Duration = .seconds(10)
        ) {
            self.messageLimit = messageLimit
            self.silence = silence
            self.pongPatience = pongPatience
            self.closePatience = closePatience
        }
    }

    private let limits: Limits
    private let encoder: WebSocketEncoder
    private var decoder: WebSocketDecoder
    private var keepAlive: WebSocketKeepAlive
    private var closing: WebSocketClosing
    private var holdsPongs = false
    private var heldPong: [UInt8]?

    /// A client if there are `maskingKeys`, else a server.
    package init(
        limits: Limits, maskingKeys: WebSocketEncoder.MaskingKeys? = nil, at now: Duration
    ) {
        self.limits = limits
        if let maskingKeys {
            encoder = WebSocketEncoder(maskingKeys: maskingKeys)
            decoder = WebSocketDecoder(role: .client, messageLimit: limits.messageLimit)
        } else {
            encoder = WebSocketEncoder()
            decoder = WebSocketDecoder(role: .server, messageLimit: limits.messageLimit)
        }
        keepAlive = WebSocketKeepAlive(at: now)
        closing = WebSocketClosing()
    }

    var isClient: Bool { encoder.isMasking }

    /// Whether messages may be sent.
    package var isOpen: Bool { closing.isOpen }

    /// When to call `elapsed`.
    package var deadline: Duration { closing.deadline ?? keepAlive.deadline(limits) }

    /// Input has come. Call it once for each read, before `next`.
    package mutating func heard(at now: Duration) {
        keepAlive.heard(at: now)
    }

    /// Returns what comes next at `position` of `bytes`, unmasking in place, and advances it; nil
    /// when all bytes are used up. After the end all bytes are ignored.
    package mutating func next(
        in bytes: inout MutableSpan<UInt8>, at position: inout Int, _ now: Duration,
        output: inout [UInt8]
    ) -> WebSocketDelivery? {
        guard !closing.isFinished else {
            position = bytes.count
            return nil
        }
        do throws(WebSocketFailure) {
            while let event = try decoder.next(in: &bytes, at: &position) {
                if let delivery = handle(event, bytes.span, now, &output) { return delivery }
            }
            return nil
        } catch {
            if closing.finish(until: now + limits.closePatience) {
                encoder.append(WebSocketClose(code: error.code, reason: error.word), to: &output)
            }
            return .end(.failed(error))
        }
    }
}

extension WebSocketSession {
    private mutating func handle(
        _ event: WebSocketEvent, _ bytes: Span<UInt8>, _ now: Duration, _ output: inout [UInt8]
    ) -> WebSocketDelivery? {
        switch event {
        case .text(let payload): return .text(payload)
        case .binary(let payload): return .binary(payload)
        case .pong: return nil
        case .ping(let payload):
            guard closing.isOpen else { return nil }
            payload.withSpan(in: bytes) { payload in
                if holdsPongs {
                    // Section 5.5.3: only the newest ping has to be answered.
                    heldPong = payload.array(payload.indices)
                } else {
                    encoder.append(.pong, payload, to: &output)
                }
            }
            return nil
        case .close(let close):
            // Section 5.5.1: the answer repeats the code.
            if closing.finish(until: now + limits.closePatience) {
                encoder.append(WebSocketClose(code: close.code), to: &output)
            }
            return .end(.closed(close))
        }
    }

    /// Appends a message; false if the closing handshake has begun. It is mutating, because
    /// otherwise the session would be copied.
    package mutating func send(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, to output: inout [UInt8]
    ) -> Bool {
        guard closing.isOpen else { return false }
        encoder.append(opcode, payload, to: &output)
        return true
    }

    /// Appends a message of about `length` bytes that `write` writes in place.
    package mutating func send(
        _ opcode: WebSocketOpcode, expecting length: Int, to output: inout [UInt8],
        _ write: (inout [UInt8]) -> Void
    ) -> Bool {
        guard closing.isOpen else { return false }
        encoder.append(opcode, expecting: length, to: &output, write)
        return true
    }

    /// Stops answering pings until `releasePong`.
    package mutating func holdPongs() { holdsPongs = true }

    package mutating func releasePong(to output: inout [UInt8]) {
        holdsPongs = false
        guard let pong = heldPong.take(), closing.isOpen else { return }
        encoder.append(.pong, pong.span, to: &output)
    }

    /// Begins the closing handshake, unless it has begun.
    package mutating func close(
        _ close: WebSocketClose, at now: Duration, to output: inout [UInt8]
    ) {
        guard closing.ask(until: now + limits.closePatience) else { return }
        encoder.append(close, to: &output)
    }

    /// Does what is due at `deadline`: pings, or returns an end, after which the connection is cut.
    package mutating func elapsed(at now: Duration, output: inout [UInt8]) -> WebSocketEnd? {
        if let deadline = closing.deadline { return now >= deadline ? .unanswered : nil }
        switch keepAlive.elapsed(at: now, limits) {
        case .none: return nil
        case .giveUp: return .silent
        case .ping:
            encoder.append(.ping, Span(), to: &output)
            return nil
        }
    }
}

/// What a session passes to its application.
package enum WebSocketDelivery: Equatable, Sendable {
    case text(WebSocketPayload)
    case binary(WebSocketPayload)
    /// Nothing follows. A server writes the rest of its output and ends the connection; a client
    /// waits for the server to do so, until the session's deadline.
    case end(WebSocketEnd)
}

/// How a WebSocket ended.
package enum WebSocketEnd: Equatable, Sendable {
    /// The peer closed, first or in answer to our close frame.
    case closed(WebSocketClose)
    case failed(WebSocketFailure)
    /// No sign of life after a ping.
    case silent
    /// The peer did not finish the closing handshake in time.
    case unanswered
    /// The peer did not read, and too much output waited for it.
    case congested
    /// The connection broke, or ended without a closing handshake.
    case lost
}

/// Pings a silent peer, and gives it up if it stays silent.
///
/// Any byte is a sign of life: a peer in the middle of a long frame cannot insert a pong.
package struct WebSocketKeepAlive: Sendable {
    package enum Action: Equatable, Sendable {
        case none
        case ping
        case giveUp
    }

    private var lastHeard: Duration
    private var pinged: Duration?

    package init(at now: Duration) { lastHeard = now }

    /// When to call `elapsed` if no byte arrives before that.
    package func deadline(_ limits: WebSocketSession.Limits) -> Duration {
        if let pinged { pinged + limits.pongPatience } else { lastHeard + limits.silence }
    }

    package mutating func heard(at now: Duration) {
        lastHeard = now
        pinged = nil
    }

    package mutating func elapsed(at now: Duration, _ limits: WebSocketSession.Limits) -> Action {
        guard now >= deadline(limits) else { return .none }
        guard pinged == nil else { return .giveUp }
        pinged = now
        return .ping
    }
}
