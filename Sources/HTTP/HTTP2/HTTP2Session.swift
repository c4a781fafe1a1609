import CNghttp2

/// The server's side of one HTTP/2 connection (RFC 9113), without a socket and without a clock.
///
/// Bytes go in by `next` and come out by `produce`. The caller reads no further input while more
/// output lies with it than it wants to hold: a peer then cannot have more made by sending more.
/// Confined to its event loop. After a failure it stays failed.
package final class HTTP2Session {
    let handle: OpaquePointer
    let intake: HTTP2Intake
    private let memory: HTTP2Memory
    @exclusivity(unchecked) private var scanner = HTTP2FrameScanner()
    @exclusivity(unchecked) private var order = HTTP2StreamOrder()
    /// What the head that was told last says of its body, which is still to be judged.
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

    /// Moves the head out, to outlive the next call of `next`.
    package func takeHead() -> RequestHead { intake.reader.takeHead() }

    /// Has the next head written into the memory of `used`.
    package func reuse(_ used: consuming RequestHead) {
        if !scanner.isInHead { intake.reader.reuse(used) }
    }

    /// The preface or a head has begun and is not whole yet.
    package var isInHead: Bool { scanner.isInHead }

    package var openStreams: Int { intake.exchanges.count }

    /// There is something that `produce` would write.
    package var wantsWrite: Bool { !isBroken && nghttp2_session_want_write(handle) != 0 }

    /// Nothing more is to be read or written: the connection can be closed.
    package var isFinished: Bool {
        isBroken
            || nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0
    }

    /// What the body of this request may hold; to be set at its event `head`.
    package func setBodyLimit(_ limit: Int, on stream: HTTP2StreamID) {
        guard let index = intake.exchanges.index(of: stream) else { return }
        intake.exchanges[index].bodyLeft = limit
    }

    /// The memory of that many bytes of a body is free again: the peer may send as many more.
    package func consumed(_ count: Int, on stream: HTTP2StreamID) {
        check(nghttp2_session_consume(handle, stream, count))
    }

    /// Reads on at `position` up to the next event and moves `position` behind what it used.
    ///
    /// Call it until it answers `needsMore`, also after `produce`: what is written can end streams.
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

    /// The connection ends for a reason of ours; `next` and `produce` tell the rest.
    package func fail(_ failure: HTTP2Failure) {
        guard intake.failure == nil else { return }
        intake.fail(failure)
        nghttp2_session_terminate_session(handle, failure.code.rawValue)
    }

    /// Frees what only a busy connection needs. Cheap to call again, but costs a little at the next
    /// request.
    package func rest() {
        guard !wantsWrite, !scanner.isInHead else { return }
        intake.rest()
        memory.discardFrameBuffer()
    }

    /// Memory is all that a call of nghttp2 can lack; what is wrong with a stream ends the stream.
    func check(_ result: Int32) {
        if result < 0, nghttp2_is_fatal(result) != 0 { fail(.fault) }
    }

    /// nghttp2 has nothing to say to the peer.
    private var isBroken: Bool { intake.failure == .badPreface || intake.failure == .fault }
}

extension HTTP2Session {
    private static func open(
        _ intake: HTTP2Intake, _ memory: HTTP2Memory
    ) throws(HTTP2Fault) -> OpaquePointer {
        let callbacks = try HTTP2Callbacks.make()
        defer { nghttp2_session_callbacks_del(callbacks) }
        var made: OpaquePointer?
        try ensure(nghttp2_option_new(&made), "nghttp2_option_new")
        let options = made
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_no_closed_streams(options, 1)
        // HTTP2HeadReader and HTTP2Exchange judge what messages say.
        nghttp2_option_set_no_http_messaging(options, 1)
        // Answers are short and each is another: remembering their fields would save a few bytes and
        // cost every connection some kilobytes.
        nghttp2_option_set_max_deflate_dynamic_table_size(options, 0)
        var hooks = memory.hooks()
        var session: OpaquePointer?
        let context = Unmanaged.passUnretained(intake).toOpaque()
        try ensure(
            nghttp2_session_server_new3(&session, callbacks, context, options, &hooks),
            "nghttp2_session_server_new3")
        guard let session else {
            preconditionFailure("nghttp2_session_server_new3 made nothing")
        }
        return session
    }

    private func submit(_ settings: HTTP2Settings, _ limits: HTTPLimits) throws(HTTP2Fault) {
        let entries: [(nghttp2_settings_id, Int)] = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.concurrentStreams),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.windowBytes),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 16_384),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headBytes),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableBytes),
            (NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 0),
            // The tree of priorities would cost memory for each stream (RFC 9218 section 2.1).
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ]
        let list = entries.map {
            nghttp2_settings_entry(
                settings_id: Int32(bitPattern: $0.0.rawValue), value: UInt32($0.1))
        }
        try ensure(nghttp2_submit_settings(handle, 0, list, list.count), "nghttp2_submit_settings")
    }

    private func announce(_ stream: HTTP2StreamID) {
        let head = intake.reader.head
        announced = (stream, head.contentLength ?? 0, head.expectsContinue)
    }

    /// A request that says at once that it is too long is refused before its body is read.
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

    /// Hands nghttp2 the rest of one frame, or as much of it as there is.
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

    /// What nghttp2 passes over, but ends the connection.
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
