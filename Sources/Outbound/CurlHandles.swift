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
        self.code = code.rawValue
        description = String(cString: curl_easy_strerror(code))
    }
}

func ensure(_ code: CURLcode) throws(CurlError) {
    guard code == CURLE_OK else { throw CurlError(code) }
}

package enum CurlLibrary {
    /// The versions of libcurl and its parts, as libcurl reports them.
    package static var version: String { String(cString: curl_version()) }

    /// libcurl requires this call before all others in a process.
    private static let preparation = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func prepare() throws(CurlError) { try ensure(preparation) }
}
