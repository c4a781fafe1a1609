import CNghttp2

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
        intake.exchanges[index].isAnswered = true
        intake.exchanges[index].dropsBody = true

        let fields = HTTP2FieldList(head, length: hasLength ? body.count : nil, date: date)
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
