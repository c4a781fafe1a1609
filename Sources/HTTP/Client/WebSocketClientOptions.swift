import Base
package import Crypto
package import System

package struct WebSocketClientOptions: Sendable, Confidential {
    /// The limit for each stage.
    package struct Patience: Sendable {
        package var lookup = Duration.seconds(15)
        /// The limit for connecting to each address.
        package var connect = Duration.seconds(10)
        package var handshake = Duration.seconds(15)
        package var upgrade = Duration.seconds(30)

        package init() {}
    }

    package let url: WebSocketURL
    /// More fields of the request, such as Authorization.
    package var fields: [(name: String, value: String)] = []
    /// Connects here instead of to the address of the host: the socket of a server on this machine.
    package var place: SocketAddress?
    package var patience = Patience()
    let terms: WebSocketTerms
    let context: TLSContext

    /// `context` is for clients and offers HTTP/1.1. The subprotocols of `terms` are offered, best
    /// first.
    package init(url: WebSocketURL, terms: WebSocketTerms, context: TLSContext) {
        self.url = url
        self.terms = terms
        self.context = context
    }
}

/// The URL that a client connects to: `ws://` or `wss://`, host, port, path and query (RFC 6455
/// section 3).
package struct WebSocketURL: Equatable, Sendable, Confidential {
    package let isEncrypted: Bool
    /// A name, or an address without brackets.
    package let host: String
    package let port: UInt16
    /// Path and query; may hold a credential.
    let target: String

    /// Nil for anything else: other schemes, user names, fragments, invalid characters.
    package init?(_ text: String) {
        let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isVisible, !text.utf8.contains(UInt8(ascii: "#")),
            let schemeEnd = text.place(of: "://")
        else { return nil }
        switch text[..<schemeEnd.lowerBound].lowercased() {
        case "wss": isEncrypted = true
        case "ws": isEncrypted = false
        default: return nil
        }
        let rest = text[schemeEnd.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard
            let authority = HostAndPort(
                String(rest[..<end]), defaultPort: isEncrypted ? 443 : 80)
        else { return nil }
        host = authority.host
        port = authority.port
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// The value of the field Host; it leaves out the default port.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }
}

/// The authority of a URL without a user name.
struct HostAndPort: Equatable {
    let host: String
    let port: UInt16

    init?(_ text: String, defaultPort: UInt16) {
        let bytes = Array(text.utf8)
        guard HTTPAuthority.isValid(bytes.span) else { return nil }
        let isLiteral = text.hasPrefix("[")
        let hostEnd =
            isLiteral ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
        guard let hostEnd else { return nil }
        let digits = text[hostEnd...].drop { $0 == "]" }.dropFirst()
        let port = digits.isEmpty ? defaultPort : UInt16(digits)
        guard let port, port > 0 else { return nil }
        self.port = port
        host = String(isLiteral ? text[..<hostEnd].dropFirst() : text[..<hostEnd])
        guard !isLiteral || IPAddress(host) != nil else { return nil }
    }
}

/// Why a client could not open its WebSocket, so that a person can be told what to do.
package enum WebSocketClientFailure: Error, Equatable, Sendable {
    package enum Stage: String, Equatable, Sendable {
        case lookup
        case connect
        case handshake
        case upgrade
    }

    /// The name does not exist, or the name server does not answer.
    case unknownName(String, NameLookup.Failure)
    /// No address accepted the connection; the error of the last one.
    case unreachable(SystemError)
    /// The server's certificate was not accepted.
    case untrusted(TLSError)
    /// No common version or cipher, or no TLS at all.
    case brokenHandshake(TLSError)
    /// The server answered with a status other than 101.
    case refused(status: Int, retryAfter: Duration?)
    /// The answer to the opening handshake breaks RFC 6455.
    case badAnswer(WebSocketRefusal)
    /// The answer is not HTTP.
    case unreadableAnswer
    case timedOut(Stage)
    /// The other side ended the connection.
    case lost(Stage)
    /// `cancel` was called, or the loop ends.
    case cancelled
}
