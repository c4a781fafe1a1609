import CNghttp2

@testable import HTTP

/// A client session of nghttp2 as the other side of ours.
final class HTTP2Client {
    struct Answer: Equatable {
        var status = ""
        var fields: [String] = []
        var body: [UInt8] = []
        /// The code with which the stream was closed.
        var closed: HTTP2ErrorCode?
    }

    /// A request body, handed over piece by piece.
    private struct Upload {
        var pieces: [[UInt8]]
        var trailers: [(String, String)] = []
        var isOpen = false
    }

    private var session: OpaquePointer?
    private(set) var answers: [Int32: Answer] = [:]
    private(set) var goAways: [HTTP2ErrorCode] = []
    private(set) var settings: [UInt32: UInt32] = [:]
    private var uploads: [Int32: Upload] = [:]
    /// The number of received frames by kind.
    private(set) var frames: [UInt8: Int] = [:]

    /// `window`: what the server may send on a stream; `opensWindow`: whether reading enlarges it.
    init(window: UInt32 = 65_535, opensWindow: Bool = true) {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.set(callbacks)
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_auto_window_update(options, opensWindow ? 0 : 1)
        // The client must be able to send what the server has to refuse.
        nghttp2_option_set_no_http_messaging(options, 1)
        nghttp2_option_set_peer_max_concurrent_streams(options, 10_000)
        nghttp2_option_set_max_send_header_block_length(options, 1 << 20)
        let context = Unmanaged.passUnretained(self).toOpaque()
        nghttp2_session_client_new2(&session, callbacks, context, options)
        let entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: window)
        ]
        nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    deinit { nghttp2_session_del(session) }

    /// Sends a request. A nil `body` ends the stream with the head; `keepsOpen` leaves the body
    /// open.
    @discardableResult
    func request(
        _ fields: [(String, String)], body: [[UInt8]]? = nil,
        trailers: [(String, String)] = [], keepsOpen: Bool = false
    ) -> Int32 {
        var provider = Self.provider
        let id = Self.withFields(fields) { list in
            body == nil
                ? nghttp2_submit_request(session, nil, list.baseAddress, list.count, nil, nil)
                : nghttp2_submit_request(
                    session, nil, list.baseAddress, list.count, &provider, nil)
        }
        answers[id] = Answer()
        uploads[id] = body.map { Upload(pieces: $0, trailers: trailers, isOpen: keepsOpen) }
        return id
    }

    @discardableResult
    func get(_ path: String = "/", _ fields: [(String, String)] = []) -> Int32 {
        request(Self.head("GET", path) + fields)
    }

    @discardableResult
    func post(
        _ path: String = "/", _ body: [UInt8], _ fields: [(String, String)] = []
    ) -> Int32 {
        let length = [("content-length", "\(body.count)")]
        return request(Self.head("POST", path) + fields + length, body: [body])
    }

    static func head(_ method: String, _ path: String = "/") -> [(String, String)] {
        [
            (":method", method), (":scheme", "https"), (":authority", "push.example"),
            (":path", path),
        ]
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode = .cancel) {
        nghttp2_submit_rst_stream(session, 0, stream, code.rawValue)
    }

    /// Ends a body that was left open.
    func finishBody(of stream: Int32) {
        uploads[stream]?.isOpen = false
        nghttp2_session_resume_data(session, stream)
    }

    /// Says that no further streams will be opened.
    func leave() { nghttp2_submit_goaway(session, 0, 0, 0, nil, 0) }

    func ping() { nghttp2_submit_ping(session, 0, nil) }

    /// Enlarges the window of the connection, or of a stream.
    func openWindow(of stream: Int32, by count: Int32) {
        nghttp2_submit_window_update(session, 0, stream, count)
    }

    /// All output.
    func output() -> [UInt8] {
        var output: [UInt8] = []
        var bytes: UnsafePointer<UInt8>?
        while true {
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0 else { return output }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    /// Returns whether the server's bytes were valid.
    @discardableResult
    func receive(_ bytes: [UInt8]) -> Bool {
        nghttp2_session_mem_recv(session, bytes, bytes.count) == bytes.count
    }
}

extension HTTP2Client {
    private static func client(_ context: UnsafeMutableRawPointer?) -> HTTP2Client {
        guard let context else { preconditionFailure("the callback has no context") }
        return Unmanaged<HTTP2Client>.fromOpaque(context).takeUnretainedValue()
    }

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let frame else { return 0 }
            let name = String(
                decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
            let value = String(
                decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
            let stream = frame.pointee.hd.stream_id
            if name == ":status" {
                HTTP2Client.client(context).answers[stream]?.status += value
            } else {
                HTTP2Client.client(context).answers[stream]?.fields.append("\(name)=\(value)")
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, context in
            let bytes = UnsafeBufferPointer(start: bytes, count: count)
            HTTP2Client.client(context).answers[stream]?.body.append(contentsOf: bytes)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, stream, code, context in
            HTTP2Client.client(context).answers[stream]?.closed = HTTP2ErrorCode(rawValue: code)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame = frame?.pointee else { return 0 }
            HTTP2Client.client(context).note(frame)
            return 0
        }
    }

    private func note(_ frame: nghttp2_frame) {
        frames[frame.hd.type, default: 0] += 1
        switch frame.hd.type {
        case HTTP2FrameHeader.Kind.goAway:
            goAways.append(HTTP2ErrorCode(rawValue: frame.goaway.error_code))
        case HTTP2FrameHeader.Kind.settings:
            for index in 0..<frame.settings.niv {
                let entry = frame.settings.iv[index]
                settings[UInt32(bitPattern: entry.settings_id)] = entry.value
            }
        default: break
        }
    }

    private static var provider: nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source()) {
            session, stream, output, size, flags, _, context in
            let client = HTTP2Client.client(context)
            guard var upload = client.uploads[stream] else {
                return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
            let piece = upload.pieces.isEmpty ? [] : upload.pieces.removeFirst()
            if piece.isEmpty, upload.pieces.isEmpty, upload.isOpen {
                return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            }
            let count = min(piece.count, size)
            output?.update(from: piece, count: count)
            if count < piece.count { upload.pieces.insert(Array(piece[count...]), at: 0) }
            if upload.pieces.isEmpty, !upload.isOpen {
                flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
                if !upload.trailers.isEmpty {
                    flags?.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
                    _ = HTTP2Client.withFields(upload.trailers) {
                        nghttp2_submit_trailer(session, stream, $0.baseAddress, $0.count)
                    }
                }
            }
            client.uploads[stream] = upload
            return count
        }
    }

    private static func withFields<Result>(
        _ fields: [(String, String)], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        var bytes = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        // An empty array has no stable address.
        let list = bytes.indices.map { index in
            let name = bytes[index].0.withUnsafeMutableBufferPointer(Self.copy)
            let value = bytes[index].1.withUnsafeMutableBufferPointer(Self.copy)
            return nghttp2_nv(
                name: name.baseAddress, value: value.baseAddress, namelen: name.count,
                valuelen: value.count, flags: 0)
        }
        defer {
            for field in list {
                field.name?.deallocate()
                field.value?.deallocate()
            }
        }
        return list.withUnsafeBufferPointer(body)
    }

    private static func copy(
        _ bytes: inout UnsafeMutableBufferPointer<UInt8>
    ) -> UnsafeMutableBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
        copy.initialize(repeating: 0)
        _ = copy.update(from: bytes)
        return UnsafeMutableBufferPointer(rebasing: copy[..<bytes.count])
    }
}
