import CNghttp2

/// The functions that nghttp2 calls; each finds its intake in the session's user data.
enum HTTP2Callbacks {
    static func make() throws(HTTP2Fault) -> OpaquePointer {
        var made: OpaquePointer?
        try ensure(nghttp2_session_callbacks_new(&made), "nghttp2_session_callbacks_new")
        guard let callbacks = made else {
            preconditionFailure("nghttp2_session_callbacks_new made nothing")
        }
        setHeadCallbacks(callbacks)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            frame.map { HTTP2Callbacks.received($0.pointee, HTTP2Callbacks.intake(context)) }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session, _, stream, bytes, count, context in
            let body = UnsafeBufferPointer(start: bytes, count: count)
            guard !HTTP2Callbacks.intake(context).receive(body, stream) else { return 0 }
            return nghttp2_session_consume(session, stream, count)
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, stream, code, context in
            HTTP2Callbacks.intake(context).close(stream, HTTP2ErrorCode(rawValue: code))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) {
            session, frame, context in
            frame.map { HTTP2Callbacks.sent($0.pointee, HTTP2Callbacks.intake(context), session) }
            return 0
        }
        return callbacks
    }

    private static func setHeadCallbacks(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            let isTrailer = frame?.pointee.headers.cat != NGHTTP2_HCAT_REQUEST
            isTrailer
                ? HTTP2Callbacks.intake(context).reader.beginTrailers()
                : HTTP2Callbacks.intake(context).reader.begin()
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            let name = UnsafeBufferPointer(start: name, count: nameLength)
            let value = UnsafeBufferPointer(start: value, count: valueLength)
            let (nameSpan, valueSpan) = (Span(_unsafeElements: name), Span(_unsafeElements: value))
            if frame?.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
                HTTP2Callbacks.intake(context).reader.add(nameSpan, valueSpan)
            } else {
                HTTP2Callbacks.intake(context).reader.addTrailer(nameSpan, valueSpan)
            }
            return 0
        }
        // Without this one nghttp2 would leave the field out and serve the rest.
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
            _, _, name, nameLength, _, _, _, context in
            let name = UnsafeBufferPointer(start: name, count: nameLength)
            let isToken = !name.isEmpty && name.allSatisfy(\.isTokenCharacter)
            HTTP2Callbacks.intake(context).reader.refuse(isToken ? .badFieldValue : .badFieldName)
            return 0
        }
    }

    private static func received(_ frame: nghttp2_frame, _ intake: HTTP2Intake) {
        let stream = frame.hd.stream_id
        let endsStream = UInt32(frame.hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
        switch frame.hd.type {
        case HTTP2FrameHeader.Kind.headers where frame.headers.cat == NGHTTP2_HCAT_REQUEST:
            intake.finishHead(stream, endsStream: endsStream)
        case HTTP2FrameHeader.Kind.headers:
            intake.finishTrailers(stream)
            if endsStream { intake.endRequest(stream) }
        case HTTP2FrameHeader.Kind.data:
            if endsStream { intake.endRequest(stream) }
        default: break
        }
    }

    private static func sent(
        _ frame: nghttp2_frame, _ intake: HTTP2Intake, _ session: OpaquePointer?
    ) {
        let endsStream = UInt32(frame.hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
        switch frame.hd.type {
        case HTTP2FrameHeader.Kind.data, HTTP2FrameHeader.Kind.headers:
            if frame.hd.type == HTTP2FrameHeader.Kind.data { intake.floodGuard.sentDataFrame() }
            // RFC 9113 section 8.1: the peer need not send the rest of its request.
            guard endsStream, intake.exchanges[frame.hd.stream_id]?.isRequestWhole == false else {
                return
            }
            nghttp2_submit_rst_stream(session, 0, frame.hd.stream_id, NGHTTP2_NO_ERROR.rawValue)
        case HTTP2FrameHeader.Kind.reset where frame.rst_stream.error_code != 0:
            intake.countReset()
        case HTTP2FrameHeader.Kind.goAway where frame.goaway.error_code != 0:
            let code = HTTP2ErrorCode(rawValue: frame.goaway.error_code)
            intake.fail(.protocolError(code))
        default: break
        }
    }

    static func intake(_ context: UnsafeMutableRawPointer?) -> HTTP2Intake {
        guard let context else { preconditionFailure("a callback without its context") }
        return Unmanaged<HTTP2Intake>.fromOpaque(context).takeUnretainedValue()
    }
}
