package import Base
import CCurl
import Glibc

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

    /// Whether the host is this machine, whatever resolves its name.
    package var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(literal)?.isLoopback ?? false
    }
}

private struct URLParts: ~Copyable {
    private let handle: OpaquePointer

    init(_ text: String) throws(ParsedURL.Failure) {
        guard (try? CurlLibrary.prepare()) != nil, let handle = curl_url() else { throw .notAURL }
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
        guard ccurl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// An address that libcurl is about to connect to.
package struct DialledAddress {
    package let address: IPAddress
    /// An IPv6 address that wraps an IPv4 one.
    package let isMapped: Bool
    package let port: UInt16

    /// Nil for any family other than IPv4 and IPv6.
    init?(_ dialled: UnsafePointer<curl_sockaddr>) {
        // curl_sockaddr is declared with the shortest address, but is as long as the one in it.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let name = UnsafeRawPointer(dialled) + offset
        let length = Int(dialled.pointee.addrlen)
        switch dialled.pointee.family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let name = name.loadUnaligned(as: sockaddr_in.self)
            address = IPAddress(v4: UInt32(bigEndian: name.sin_addr.s_addr))
            port = UInt16(bigEndian: name.sin_port)
            isMapped = false
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let name = name.loadUnaligned(as: sockaddr_in6.self)
            let (high, low) = withUnsafeBytes(of: name.sin6_addr) { bytes in
                (
                    bytes.loadUnaligned(as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                )
            }
            address = IPAddress(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
            port = UInt16(bigEndian: name.sin6_port)
            isMapped = address.v4 != nil
        default: return nil
        }
    }

    /// Whether this machine has the address: a socket can be bound to no other address.
    package static func isOurs(_ address: IPAddress) -> Bool {
        let descriptor = socket(
            address.v4 == nil ? AF_INET6 : AF_INET,
            Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if let v4 = address.v4 {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = v4.bigEndian
            return isBound(descriptor, &name)
        }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        withUnsafeMutableBytes(of: &name.sin6_addr) { bytes in
            bytes.storeBytes(of: address.high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return isBound(descriptor, &name)
    }

    private static func isBound<Name>(_ descriptor: Int32, _ name: inout Name) -> Bool {
        withUnsafeBytes(of: &name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { name in
                bind(descriptor, name.baseAddress, socklen_t(MemoryLayout<Name>.size)) == 0
            }
        }
    }
}
