import Base

/// The proxy through which a client connects, from the variables that programs read for it.
package struct HTTPProxy: Equatable, Sendable, Confidential {
    package enum Refusal: Error, Equatable {
        /// Only proxies that are spoken to in clear are known.
        case unsupportedScheme(String)
        case badURL
    }

    package let host: String
    package let port: UInt16
    /// The value of the field Proxy-Authorization.
    let authorization: String?

    /// What curl takes where the URL names none.
    private static let defaultPort: UInt16 = 1080

    /// Reads `http://[USER[:PASSWORD]@]HOST[:PORT][/]`, or the same without a scheme.
    package init(_ text: String) throws(Refusal) {
        var rest = text[...]
        if let end = text.firstRange(of: "://") {
            let scheme = text[..<end.lowerBound].lowercased()
            guard scheme == "http" else { throw .unsupportedScheme(scheme) }
            rest = text[end.upperBound...]
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var credentials: [UInt8]?
        if let mark = rest.lastIndex(of: "@") {
            guard let decoded = PercentEncoding.decoded(rest[..<mark]) else { throw .badURL }
            credentials = decoded.contains(UInt8(ascii: ":")) ? decoded : decoded + [0x3A]
            rest = rest[rest.index(after: mark)...]
        }
        guard let place = HostAndPort(String(rest), defaultPort: Self.defaultPort) else {
            throw .badURL
        }
        host = place.host
        port = place.port
        authorization = credentials.map {
            "Basic " + String(decoding: Base64.encode($0.span), as: UTF8.self)
        }
    }

    /// The proxy for `url`: the one of HTTPS_PROXY unless NO_PROXY excepts the host.
    package static func forURL(
        _ url: WebSocketURL, proxy: String?, exceptions: String?
    ) throws(Refusal) -> HTTPProxy? {
        guard let proxy, !proxy.isEmpty,
            !ProxyExceptions(exceptions ?? "").include(url.host, port: url.port)
        else { return nil }
        return try HTTPProxy(proxy)
    }
}
