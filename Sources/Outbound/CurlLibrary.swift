import CCurl

package enum CurlLibrary {
    /// As the library names itself and its parts, for a report of what is installed.
    package static var version: String { String(cString: curl_version()) }

    /// libcurl wants one call before all others in a process.
    private static let preparation = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func prepare() throws(CurlError) { try ensure(preparation) }
}
