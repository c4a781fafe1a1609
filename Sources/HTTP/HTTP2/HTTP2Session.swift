import CNghttp2

/// The server's side of one HTTP/2 connection (RFC 9113), without a socket or a clock.
///
/// Bytes go in through `next` and come out through `produce`. The caller stops reading while it
/// holds more output than it wants: otherwise a peer could make it hold more by sending more. Only
/// its event loop uses it. A failure is final.
package final class HTTP2Session {
    let handle: OpaquePointer
    let intake: HTTP2Intake
    private let memory: HTTP2Memory
    @exclusivity(unchecked) private var scanner = HTTP2FrameScanner()
    @exclusivity(unchecked) private var order = HTTP2StreamOrder()
    /// What the last head says of its body, which still has to be checked.
    @exclusivity(unchecked) private var announced:
        (stream: HTTP2StreamID, length: Int, expectsContinue: Bool)?

    package init(
        limits: HTTPLimits = HTTPLimits(), settings: HTTP2Settings = HTTP2Settings(),
        floods: HTTP2FloodLimits = HTTP2FloodLimits(), frameBuffers: HTTP2FrameBuffers,
        at now: Duration
    ) throws(HTTP2Fault) {
        let intake = HTTP2Intake(limits: limits, floods: floods, at: now)
        let memory = HTTP2Memory(frameBuffers)
        handle = try Self.open(intake, memory)
        self.intake = intake
        self.memory = memory
        try submit(settings, limits)
    }

    deinit { nghttp2_session_del(handle) }

    /// The request of the last event `head`.
    package var head: RequestHead { intake.reader.head }

    /// Moves the head out, to keep it beyond the next call of `next`.
    package func takeHead() -> RequestHead { intake.reader.takeHead() }

    /// Uses the memory of `used` for the next head.
    package func reuse(_ used: consuming RequestHead) {
        if !scanner.isInHead { intake.reader.reuse(used) }
    }

    /// The preface or a head has begun and is not complete.
    package var isInHead: Bool { scanner.isInHead }

    package var openStreams: Int { intake.exchanges.count }

    /// Whether `produce` would write something.
    package var wantsWrite: Bool { !isBroken && nghttp2_session_want_write(handle) != 0 }

    /// Nothing more to read or write: the connection can be closed.
    package var isFinished: Bool {
        isBroken
            || nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0
    }

    /// The most bytes that the body of this request may have. Set it at the event `head`.
    package func setBodyLimit(_ limit: Int, on stream: HTTP2StreamID) {
        guard let index = intake.exchanges.index(of: stream) else { return }
        intake.exchanges[index].bodyLeft = limit
    }

    /// The caller has dealt with that many bytes of a body: the peer may send as many more.
    package func consumed(_ count: Int, on stream: HTTP2StreamID) {
        check(nghttp2_session_consume(handle, stream, count))
    }

    /// Reads from `position` up to the next event and advances `position`.
    ///
    /// Call it until it returns `needsMore`, also after `produce`: output can end streams.
    package func next(
        in input: Span<UInt8>, from position: inout Int, at now: Duration
    ) -> HTTP2Event {
        intake.now = now
        while true {
            if let failure = intake.failure {
                position = input.count
                return .failed(failure)
            }
            if let event = judgeAnnounced() ?? intake.takeEvent() {
                if case .head(let stream) = event { announce(stream) }
                return event
            }
            guard position < input.count else { return .needsMore }
            feed(input, &position)
        }
    }

    /// Ends the connection for a reason of ours; `next` and `produce` do the rest.
    package func fail(_ failure: HTTP2Failure) {
        guard intake.failure == nil else { return }
        intake.fail(failure)
        nghttp2_session_terminate_session(handle, failure.code.rawValue)
    }

    /// Frees what only a busy connection needs. Calling it again is cheap, but the next request
    /// costs a little more.
    package func rest() {
        guard !wantsWrite, !scanner.isInHead else { return }
        intake.rest()
        memory.discardFrameBuffer()
    }

    /// A fatal result means lack of memory; other errors end only their stream.
    func check(_ result: Int32) {
        if result < 0, nghttp2_is_fatal(result) != 0 { fail(.fault) }
    }

    /// nghttp2 has nothing to tell the peer.
    private var isBroken: Bool { intake.failure == .badPreface || intake.failure == .fault }
}

extension HTTP2Session {
    private func announce(_ stream: HTTP2StreamID) {
        announced = (
            stream, intake.reader.head.contentLength ?? 0, intake.reader.head.expectsContinue
        )
    }

    /// Refuses a request that announces too long a body before any of it is read.
    private func judgeAnnounced() -> HTTP2Event? {
        guard let (stream, length, expectsContinue) = announced else { return nil }
        announced = nil
        guard let index = intake.exchanges.index(of: stream), !intake.exchanges[index].dropsBody
        else { return nil }
        guard length <= intake.exchanges[index].bodyLeft else {
            intake.refuse(stream, .bodyTooLarge)
            return nil
        }
        return expectsContinue ? .continueExpected(stream) : nil
    }

    /// Passes nghttp2 the rest of one frame, or as much of it as there is.
    private func feed(_ input: Span<UInt8>, _ position: inout Int) {
        guard nghttp2_session_want_read(handle) != 0 else {
            position = input.count
            return
        }
        let piece = scanner.next(in: input, from: position)
        do throws(HTTP2Flood) {
            if let begun = piece.begun {
                intake.hasBody = false
                try intake.floodGuard.received(begun, at: intake.now)
            }
            if let begun = piece.begun, !isAllowed(begun) {
                fail(.protocolError(.protocolError))
            } else {
                read(input.extracting(position..<piece.end), at: position)
            }
            if let ended = piece.ended, ended.isEmpty(hasBody: intake.hasBody) {
                try intake.floodGuard.receivedNothing(at: intake.now)
            }
        } catch {
            fail(.flood(error))
        }
        position = piece.end
    }

    /// False for errors that nghttp2 ignores but that must end the connection.
    private func isAllowed(_ frame: HTTP2FrameHeader) -> Bool {
        switch frame.kind {
        case HTTP2FrameHeader.Kind.headers: order.allows(frame.stream)
        // RFC 9113 section 6.3.
        case HTTP2FrameHeader.Kind.priority: frame.stream != 0
        default: true
        }
    }

    private func read(_ bytes: Span<UInt8>, at offset: Int) {
        let result = bytes.withUnsafeBufferPointer { bytes in
            intake.piece = bytes.baseAddress.map { ($0, offset) }
            defer { intake.piece = nil }
            return nghttp2_session_mem_recv(handle, bytes.baseAddress, bytes.count)
        }
        switch result {
        case 0...: break
        case Int(NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue): intake.fail(.badPreface)
        case Int(NGHTTP2_ERR_FLOODED.rawValue): fail(.flood(.pings))
        default: fail(.fault)
        }
    }
}
