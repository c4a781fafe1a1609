import CNghttp2

extension HTTP2Session {
    static func open(
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
        // HTTP2HeadReader and HTTP2Exchange check messages instead.
        nghttp2_option_set_no_http_messaging(options, 1)
        // Answers are short and all different: remembering their fields would save a few bytes and
        // cost every connection some kilobytes.
        nghttp2_option_set_max_deflate_dynamic_table_size(options, 0)
        var hooks = memory.hooks()
        var session: OpaquePointer?
        let context = Unmanaged.passUnretained(intake).toOpaque()
        try ensure(
            nghttp2_session_server_new3(&session, callbacks, context, options, &hooks),
            "nghttp2_session_server_new3")
        guard let session else {
            preconditionFailure("nghttp2_session_server_new3 returned nothing")
        }
        return session
    }

    func submit(_ settings: HTTP2Settings, _ limits: HTTPLimits) throws(HTTP2Fault) {
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
}

/// The settings that we send to the peer at the start (RFC 9113 section 6.5.2).
package struct HTTP2Settings: Equatable, Sendable {
    package var concurrentStreams = 100
    /// How much a peer may send on one stream before we consume any of it. The window of the whole
    /// connection has the same size, and no setting changes that.
    package var windowBytes = 65_535
    /// How many bytes of its fields the peer may make us remember.
    package var headerTableBytes = 4096

    package init() {}
}

extension HTTP2Session {
    /// Answers the request of a stream with a complete body.
    ///
    /// The caller formats `date` once per second; empty leaves the field out. Does nothing if the
    /// stream is gone or answered: the peer may have been faster.
    package func respond(
        to stream: HTTP2StreamID, _ head: ResponseHead, body: [UInt8] = [], date: [UInt8] = []
    ) {
        guard let index = indexOfUnanswered(stream) else { return }
        // RFC 9110 section 8.6: these have no body and must not have a length.
        let hasLength = head.status != 204 && head.status != 304
        let hasBody = hasLength && !intake.exchanges[index].isHead && !body.isEmpty
        if hasBody { intake.exchanges[index].answer = body }
        let fields = HTTP2FieldList(head, length: hasLength ? body.count : nil, date: date)
        submit(fields, hasBody: hasBody, index)
    }

    /// Answers the request of a stream with a head and a body that `write` adds to, until `end`.
    /// False if no body can follow.
    package func beginStream(
        _ stream: HTTP2StreamID, _ head: ResponseHead, date: [UInt8] = []
    ) -> Bool {
        guard let index = indexOfUnanswered(stream) else { return false }
        let hasBody = !intake.exchanges[index].isHead
        intake.exchanges[index].isStream = hasBody
        submit(HTTP2FieldList(head, date: date), hasBody: hasBody, index)
        return hasBody
    }

    private func submit(_ fields: HTTP2FieldList, hasBody: Bool, _ index: Int) {
        let stream = intake.exchanges[index].stream
        intake.exchanges[index].isAnswered = true
        intake.exchanges[index].dropsBody = true
        let result = fields.withFields { fields in
            guard hasBody else {
                return nghttp2_submit_response(
                    handle, stream, fields.baseAddress, fields.count, nil)
            }
            var provider = HTTP2Callbacks.answerProvider
            return nghttp2_submit_response(
                handle, stream, fields.baseAddress, fields.count, &provider)
        }
        check(result)
    }

    /// Does nothing if the stream is gone, or has ended.
    package func write(_ bytes: Span<UInt8>, to stream: HTTP2StreamID) {
        changeStream(stream) { $0.append(bytes) }
    }

    /// Ends the body of a stream once all of it was sent.
    package func end(_ stream: HTTP2StreamID) {
        changeStream(stream) { $0.isStream = false }
    }

    /// How much of the body of an answer nghttp2 has not taken yet.
    package func waitingBytes(of stream: HTTP2StreamID) -> Int {
        intake.exchanges.index(of: stream).map { intake.exchanges[$0].waitingBytes } ?? 0
    }

    private func changeStream(
        _ stream: HTTP2StreamID, _ change: (inout HTTP2Exchange) -> Void
    ) {
        guard let index = intake.exchanges.index(of: stream), intake.exchanges[index].isStream
        else { return }
        change(&intake.exchanges[index])
        // An error says that nghttp2 has not asked for more yet.
        check(nghttp2_session_resume_data(handle, stream))
    }

    /// Tells a waiting sender to send its body.
    package func respondContinue(to stream: HTTP2StreamID) {
        guard indexOfUnanswered(stream) != nil else { return }
        let result = HTTP2FieldList(ResponseHead(status: 100)).withFields { fields in
            nghttp2_submit_headers(
                handle, 0, stream, nil, fields.baseAddress, fields.count, nil)
        }
        check(result)
    }

    /// Gives a stream up.
    package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard intake.exchanges.index(of: stream) != nil else { return }
        check(nghttp2_submit_rst_stream(handle, 0, stream, code.rawValue))
    }

    /// Appends output until there is none, or `output` holds `limit` bytes or one frame more.
    package func produce(into output: inout [UInt8], limit: Int) {
        while wantsWrite, output.count < limit {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &bytes)
            if let flood = intake.takeFlood() { fail(.flood(flood)) }
            guard count > 0 else {
                if count < 0 { fail(.fault) }
                return
            }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    /// Tells the peer that the server is about to stop, but still accepts requests that are on
    /// their way (RFC 9113 section 6.8).
    package func announceShutdown() { check(nghttp2_submit_shutdown_notice(handle)) }

    /// Accepts no further requests; the session is finished when the current ones are answered.
    package func shutDown() {
        let last = nghttp2_session_get_last_proc_stream_id(handle)
        check(nghttp2_submit_goaway(handle, 0, last, NGHTTP2_NO_ERROR.rawValue, nil, 0))
    }

    private func indexOfUnanswered(_ stream: HTTP2StreamID) -> Int? {
        let index = intake.exchanges.index(of: stream)
        return index.flatMap { intake.exchanges[$0].isAnswered ? nil : $0 }
    }
}
