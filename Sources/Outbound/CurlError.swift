import CCurl

/// A transfer that got no answer.
package struct CurlError: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: UInt32
    package let description: String

    package var isConnectionRefusal: Bool { code == CURLE_COULDNT_CONNECT.rawValue }

    init(_ code: CURLcode) {
        self.code = code.rawValue
        description = String(cString: curl_easy_strerror(code))
    }
}

func ensure(_ code: CURLcode) throws(CurlError) {
    guard code == CURLE_OK else { throw CurlError(code) }
}
