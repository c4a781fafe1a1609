import CCurl

package enum CurlLibrary {
    /// The versions of libcurl and its parts, as libcurl reports them.
    package static var version: String { String(cString: curl_version()) }

    /// libcurl requires this call before all others in a process.
    private static let preparation = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func prepare() throws(CurlError) { try ensure(preparation) }
}
