import CNghttp2

/// The functions that nghttp2 calls. Each finds its intake through the session's user data.
enum HTTP2Callbacks {
    static func make() throws(HTTP2Fault) -> OpaquePointer {
        var made: OpaquePointer?
        try ensure(nghttp2_session_callbacks_new(&made), "nghttp2_session_callbacks_new")
        guard let callbacks = made else {
            preconditionFailure("nghttp2_session_callbacks_new returned nothing")
        }
        setHeadCallbacks(callbacks)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) {
            session, frame, context in
            guard let frame, withIntake(context, { $0.received(frame.pointee) }) else { return 0 }
            return nghttp2_submit_rst_stream(
                session, 0, frame.pointee.hd.stream_id, HTTP2ErrorCode.protocolError.rawValue)
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session, _, stream, bytes, count, context in
            let body = UnsafeBufferPointer(start: bytes, count: count)
            let isWanted = withIntake(context) { $0.receive(body, stream) }
            // Other streams continue, but this one gets no more room.
            return isWanted ? 0 : nghttp2_session_consume_connection(session, count)
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, stream, code, context in
            withIntake(context) { $0.close(stream, HTTP2ErrorCode(rawValue: code)) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) {
            _, frame, context in
            if let frame { withIntake(context) { $0.sent(frame.pointee) } }
            return 0
        }
        return callbacks
    }

    private static func setHeadCallbacks(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            let isHead = frame?.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            withIntake(context) { isHead ? $0.reader.begin() : $0.reader.beginTrailers() }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            let isHead = frame?.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            let name = UnsafeBufferPointer(start: name, count: nameLength)
            let value = UnsafeBufferPointer(start: value, count: valueLength)
            let (nameSpan, valueSpan) = (Span(_unsafeElements: name), Span(_unsafeElements: value))
            withIntake(context) { intake in
                isHead
                    ? intake.reader.add(nameSpan, valueSpan)
                    : intake.reader.addTrailer(nameSpan, valueSpan)
            }
            return 0
        }
    }

    /// Gives nghttp2 the bytes of an answer.
    static var answerProvider: nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source()) {
            _, stream, output, size, flags, _, context in
            let output = UnsafeMutableRawBufferPointer(start: output, count: size)
            switch withIntake(context, { $0.readAnswer(of: stream, into: output) }) {
            case .bytes(let count, let isLast):
                if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
                return count
            case .notYet: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            case .none: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
        }
    }
}

extension HTTP2Intake {
    /// Returns whether its stream is malformed.
    fileprivate func received(_ frame: nghttp2_frame) -> Bool {
        let stream = frame.hd.stream_id
        switch frame.hd.type {
        case HTTP2FrameHeader.Kind.headers where frame.headers.cat == NGHTTP2_HCAT_REQUEST:
            return finishHead(stream, endsStream: frame.endsStream)
        case HTTP2FrameHeader.Kind.headers:
            return finishTrailers(stream, endsStream: frame.endsStream)
        case HTTP2FrameHeader.Kind.data where frame.endsStream: return endRequest(stream)
        case HTTP2FrameHeader.Kind.goAway: leave()
        default: break
        }
        return false
    }

    fileprivate func sent(_ frame: nghttp2_frame) {
        let stream = frame.hd.stream_id
        switch frame.hd.type {
        case HTTP2FrameHeader.Kind.data, HTTP2FrameHeader.Kind.headers:
            if frame.hd.type == HTTP2FrameHeader.Kind.data { floodGuard.sentDataFrame() }
            if frame.endsStream { finishAnswer(stream) }
        case HTTP2FrameHeader.Kind.reset where frame.rst_stream.error_code != 0: countReset()
        case HTTP2FrameHeader.Kind.goAway where frame.goaway.error_code != 0:
            fail(.protocolError(HTTP2ErrorCode(rawValue: frame.goaway.error_code)))
        default: break
        }
    }
}

extension nghttp2_frame {
    fileprivate var endsStream: Bool { UInt32(hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 }
}

private func withIntake<Result>(
    _ context: UnsafeMutableRawPointer?, _ body: (HTTP2Intake) -> Result
) -> Result {
    guard let context else { preconditionFailure("the callback has no context") }
    return Unmanaged<HTTP2Intake>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}
