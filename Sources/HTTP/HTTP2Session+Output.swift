import CNghttp2

extension HTTP2Session {
    /// Answers the request of a stream with a body that is known as a whole.
    ///
    /// `date` is what the caller keeps for all answers of a second; empty leaves the field out.
    /// A stream that is gone or answered stays as it is: the peer may have been faster.
    package func respond(
        to stream: HTTP2StreamID, _ head: ResponseHead, body: [UInt8] = [], date: [UInt8] = []
    ) {
        guard var exchange = intake.exchanges[stream], !exchange.isAnswered else { return }
        // RFC 9110 section 8.6: these have no body and must not name a length.
        let hasLength = head.status != 204 && head.status != 304
        let hasBody = hasLength && !exchange.isHead && !body.isEmpty
        if hasBody { exchange.answer = body }
        exchange.isAnswered = true
        exchange.dropsBody = true
        intake.exchanges[stream] = exchange

        let fields = HTTP2FieldList(head, length: hasLength ? body.count : nil, date: date)
        let result = fields.withFields { fields in
            guard hasBody else {
                return nghttp2_submit_response(
                    handle, stream, fields.baseAddress, fields.count, nil)
            }
            var provider = Self.answerProvider
            return nghttp2_submit_response(
                handle, stream, fields.baseAddress, fields.count, &provider)
        }
        check(result)
    }

    /// Tells a sender that waits for it to send its body.
    package func respondContinue(to stream: HTTP2StreamID) {
        guard intake.exchanges[stream]?.isAnswered == false else { return }
        let result = HTTP2FieldList(ResponseHead(status: 100)).withFields { fields in
            nghttp2_submit_headers(
                handle, 0, stream, nil, fields.baseAddress, fields.count, nil)
        }
        check(result)
    }

    /// Gives a stream up.
    package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard intake.exchanges[stream] != nil else { return }
        check(nghttp2_submit_rst_stream(handle, 0, stream, code.rawValue))
    }

    /// Appends what is to be sent, until `output` holds `limit` bytes or a frame more.
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

    /// Tells the peer that the server is about to stop, but takes the requests that are on their
    /// way (RFC 9113 section 6.8).
    package func announceShutdown() { check(nghttp2_submit_shutdown_notice(handle)) }

    /// Takes no further requests; the session is finished when the running ones are answered.
    package func shutDown() {
        let last = nghttp2_session_get_last_proc_stream_id(handle)
        check(nghttp2_submit_goaway(handle, 0, last, NGHTTP2_NO_ERROR.rawValue, nil, 0))
    }

    private static var answerProvider: nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source()) {
            _, stream, output, size, flags, _, context in
            let output = UnsafeMutableRawBufferPointer(start: output, count: size)
            guard
                let (count, isLast) = HTTP2Callbacks.intake(context)
                    .readAnswer(of: stream, into: output)
            else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
            if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return count
        }
    }
}
