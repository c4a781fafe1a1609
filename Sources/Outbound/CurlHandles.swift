import CCurl

struct EasyHandle: ~Copyable {
    let handle: UnsafeMutableRawPointer

    init() throws(CurlError) {
        try CurlLibrary.prepare()
        guard let handle = curl_easy_init() else { throw CurlError(CURLE_FAILED_INIT) }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try ensure(ccurl_set_long(handle, option, value))
    }

    func set(_ option: CURLoption, _ value: String) throws(CurlError) {
        try ensure(ccurl_set_text(handle, option, value))
    }

    /// `pointer` must live as long as the transfer.
    func set(_ option: CURLoption, _ pointer: UnsafeRawPointer?) throws(CurlError) {
        try ensure(ccurl_set_pointer(handle, option, pointer))
    }

    func set(_ option: CURLoption, sink: @escaping ccurl_sink) throws(CurlError) {
        try ensure(ccurl_set_sink(handle, option, sink))
    }

    /// libcurl then asks `open` for each socket and passes CURLOPT_OPENSOCKETDATA.
    func set(opensocket open: @escaping curl_opensocket_callback) throws(CurlError) {
        try ensure(ccurl_set_opensocket(handle, open))
    }

    func perform() throws(CurlError) { try ensure(curl_easy_perform(handle)) }

    var status: Int {
        get throws(CurlError) {
            var status = 0
            try ensure(ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status))
            return status
        }
    }
}

struct TextList: ~Copyable {
    private(set) var handle: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) throws(CurlError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw CurlError(CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        handle = list
    }

    init(fields: [(name: String, value: String)]) throws(CurlError) {
        // libcurl sends a field without a value if it is written `Name;`.
        try self.init(fields.map { $1.isEmpty ? $0 + ";" : $0 + ": " + $1 })
    }

    deinit { curl_slist_free_all(handle) }
}

/// A transfer that got no answer.
package struct CurlError: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: UInt32
    package let description: String

    package var isConnectionRefusal: Bool { code == CURLE_COULDNT_CONNECT.rawValue }

    /// The other side has a certificate that is not trusted.
    package var isDistrust: Bool { code == CURLE_PEER_FAILED_VERIFICATION.rawValue }
    /// There is no file of authorities. A bare Debian has none.
    package var lacksAuthorities: Bool { code == CURLE_SSL_CACERT_BADFILE.rawValue }

    init(_ code: CURLcode) {
        self.init(code, String(cString: curl_easy_strerror(code)))
    }

    private init(_ code: CURLcode, _ description: String) {
        (self.code, self.description) = (code.rawValue, description)
    }

    fileprivate static let noLibrary = CurlError(
        CURLE_FAILED_INIT, "libcurl is not installed: install its package, libcurl4")
}

func ensure(_ code: CURLcode) throws(CurlError) {
    guard code == CURLE_OK else { throw CurlError(code) }
}

/// libcurl, which is loaded on first use: a desktop and most commands need none of it.
package enum CurlLibrary {
    /// The versions of libcurl and its parts, as libcurl reports them; nil if it is not installed.
    package static var version: String? { isLoaded ? String(cString: curl_version()) : nil }

    fileprivate static let isLoaded = ccurl_load()
    /// libcurl requires this call before all others in a process.
    private static let preparation = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func prepare() throws(CurlError) {
        guard isLoaded else { throw .noLibrary }
        try ensure(preparation)
    }
}

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
