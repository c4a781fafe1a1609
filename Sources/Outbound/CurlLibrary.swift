import CCurl

package enum CurlLibrary {
    /// As the library names itself and its parts, for a report of what is installed.
    package static var version: String { String(cString: curl_version()) }
}
