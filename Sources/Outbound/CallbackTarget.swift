package import Base
import CCurl

/// The URL of a callback, read by the same parser that dials it later.
package struct CallbackTarget: Equatable, Sendable, Confidential {
    package enum Refusal: String, Error, Sendable {
        case notAURL = "is not a URL"
        case scheme = "is neither https:// nor, for programs on this machine, http:// or unix:/"
        case userInfo = "contains a user or a password"
        case port = "has a port below 1024 that is not 443 or 80"
        case tooLong = "is too long"
    }

    package enum Way: Equatable, Sendable {
        case encrypted
        /// Without TLS, to a loopback address only.
        case clear
        /// HTTP over this socket.
        case unix(path: String)
    }

    /// In the one form that is dialled: the host in lower case, or an address in its usual notation.
    package let url: String
    /// Whose turns it takes: the name of the host, or the path of the socket.
    package let host: String
    package let port: UInt16
    package let way: Way

    /// Longer URLs are no use to anybody.
    private static let limit = 2_000
    private static let unixPrefix = "unix:"
    /// `sun_path` of Linux.
    private static let pathLimit = 107

    package init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= Self.limit else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notAURL }
        if text.hasPrefix(Self.unixPrefix) {
            let path = String(text.dropFirst(Self.unixPrefix.count))
            guard path.hasPrefix("/"), path.count > 1 else { throw .notAURL }
            guard path.utf8.count <= Self.pathLimit else { throw .tooLong }
            (url, host, port, way) = ("http://localhost/", path, 0, .unix(path: path))
            return
        }
        let parts = try URLParts(text)
        switch parts[CURLUPART_SCHEME] {
        case "https": way = .encrypted
        case "http": way = .clear
        default: throw .scheme
        }
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil else {
            throw .userInfo
        }
        guard let host = parts[CURLUPART_HOST]?.lowercased(), parts.set(host: host),
            let url = parts[CURLUPART_URL], let port = parts.port
        else { throw .notAURL }
        guard DialGuard.isUsual(port) else { throw .port }
        self.url = url
        self.host = host
        self.port = port
    }

    /// Whether it is `url` or something below it.
    func isInside(_ url: String) -> Bool {
        guard self.url.hasPrefix(url) else { return false }
        return self.url.dropFirst(url.count).first.map { "/?".contains($0) } ?? true
    }

    /// The address that the host is, if it is no name.
    package var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    }
}

private struct URLParts: ~Copyable {
    private let handle: OpaquePointer

    init(_ text: String) throws(CallbackTarget.Refusal) {
        guard let handle = curl_url() else { throw .notAURL }
        let code = curl_url_set(
            handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER))
        guard code == CURLUE_OK else {
            curl_url_cleanup(handle)
            throw code == CURLUE_USER_NOT_ALLOWED ? .userInfo : .notAURL
        }
        // What is behind "#" is never sent.
        curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0)
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    func set(host: String) -> Bool {
        curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK
    }

    /// Without a port that goes without saying.
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
