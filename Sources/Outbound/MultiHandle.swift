import CCurl

/// Many transfers at once, driven by an `EventLoop`.
struct MultiHandle: ~Copyable {
    let handle: UnsafeMutableRawPointer

    /// How many idle connections are kept for reuse.
    private static let connectionsKept = 256

    init() throws(CurlError) {
        try CurlLibrary.prepare()
        guard let handle = curl_multi_init() else { throw CurlError(CURLE_FAILED_INIT) }
        self.handle = handle
    }

    /// No transfer may be left in it. The objects behind the callbacks may be gone, so libcurl must
    /// not call them while it cleans up.
    deinit {
        ccurl_multi_set_watcher(handle, nil)
        ccurl_multi_set_timer(handle, nil)
        curl_multi_cleanup(handle)
    }

    /// libcurl passes `context` to each callback; it must outlive this handle.
    func configure(
        _ context: UnsafeMutableRawPointer, watch: @escaping curl_socket_callback,
        timer: @escaping curl_multi_timer_callback
    ) throws(CurlError) {
        try ensure(ccurl_multi_set_watcher(handle, watch))
        try ensure(ccurl_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, context))
        try ensure(ccurl_multi_set_timer(handle, timer))
        try ensure(ccurl_multi_set_pointer(handle, CURLMOPT_TIMERDATA, context))
        try ensure(
            ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, Self.connectionsKept))
    }

    func add(_ easy: borrowing EasyHandle) throws(CurlError) {
        try ensure(curl_multi_add_handle(handle, easy.handle))
    }

    func remove(_ easy: borrowing EasyHandle) { curl_multi_remove_handle(handle, easy.handle) }

    /// Continues the transfers whose socket is ready or whose time has come.
    func advance(_ socket: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, events, &running)
    }

    /// A transfer that has ended; nil if there is none.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle
            else { continue }
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    private func ensure(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else {
            throw CurlError(code == CURLM_OUT_OF_MEMORY ? CURLE_OUT_OF_MEMORY : CURLE_FAILED_INIT)
        }
    }
}
