import CCurl

/// A URL, read by the parser that later dials it.
package struct ParsedURL: Sendable {
    package enum Failure: Error {
        case notAURL
        case otherScheme
        case hasUser
    }

    /// The URL in one form: its host in lower case, or an address in its usual notation; no
    /// fragment.
    package let text: String
    package let scheme: String
    package let host: String
    package let port: UInt16

    package init(_ text: String, schemes: [String]) throws(Failure) {
        let parts = try URLParts(text)
        guard let scheme = parts[CURLUPART_SCHEME], schemes.contains(scheme) else {
            throw .otherScheme
        }
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil else { throw .hasUser }
        guard let host = parts[CURLUPART_HOST]?.lowercased(), parts.set(host: host),
            let url = parts[CURLUPART_URL], let port = parts.port
        else { throw .notAURL }
        self.text = url
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}

private struct URLParts: ~Copyable {
    private let handle: OpaquePointer

    init(_ text: String) throws(ParsedURL.Failure) {
        guard let handle = curl_url() else { throw .notAURL }
        let code = curl_url_set(
            handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER))
        guard code == CURLUE_OK else {
            curl_url_cleanup(handle)
            throw code == CURLUE_USER_NOT_ALLOWED ? .hasUser : .notAURL
        }
        // A fragment is never sent.
        curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0)
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    func set(host: String) -> Bool {
        curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK
    }

    /// A part of the URL; the default port of the scheme is left out.
    subscript(part: CURLUPart) -> String? { text(part, flags: CURLU_NO_DEFAULT_PORT) }

    var port: UInt16? { text(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT).flatMap { UInt16($0) } }

    private func text(_ part: CURLUPart, flags: Int32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
