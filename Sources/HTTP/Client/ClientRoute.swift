package import Base
package import Crypto
package import System

/// Where a client connects, and how long it waits for that.
package struct ClientRoute: Sendable, Confidential {
    /// The limit for each stage.
    package struct Patience: Sendable {
        package var lookup = Duration.seconds(15)
        /// The limit for connecting to each address.
        package var connect = Duration.seconds(10)
        package var handshake = Duration.seconds(15)
        package var upgrade = Duration.seconds(30)
        /// The limit for all of it.
        package var whole = Duration.seconds(300)

        package init() {}
    }

    let url: ClientURL
    let context: TLSContext
    /// Connects here instead of to the address of the host.
    package var place: SocketAddress?
    package var patience = Patience()
    /// Says why the client must not connect to an address, or nil. It is asked before each
    /// connection.
    var objection: @Sendable (SocketAddress) -> DialRefusal? = { _ in nil }

    package init(to url: ClientURL, _ context: TLSContext) {
        self.url = url
        self.context = context
    }
}

/// The URL that a client connects to: host, port, path and query (RFC 6455 section 3, RFC 9110
/// section 4.2).
package struct ClientURL: Equatable, Sendable, Confidential {
    package let isEncrypted: Bool
    /// A name, or an address without brackets.
    package let host: String
    package let port: UInt16
    /// Path and query; may hold a credential.
    let target: String

    /// `ws://` or `wss://`. Nil for anything else: other schemes, user names, fragments, invalid
    /// characters.
    package init?(webSocket text: String) { self.init(text, schemes: ("ws", "wss")) }

    /// `http://` or `https://`. A fragment is left out, because it is never sent.
    package init?(http text: String) {
        let end = text.firstIndex(of: "#") ?? text.endIndex
        self.init(String(text[..<end]), schemes: ("http", "https"))
    }

    private init?(_ text: String, schemes: (clear: String, encrypted: String)) {
        let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isVisible, !text.utf8.contains(UInt8(ascii: "#")),
            let schemeEnd = text.place(of: "://")
        else { return nil }
        switch text[..<schemeEnd.lowerBound].lowercased() {
        case schemes.encrypted: isEncrypted = true
        case schemes.clear: isEncrypted = false
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

/// Why a client got no answer, or none that opens its WebSocket, so that a person can be told what to
/// do.
package enum ClientFailure: Error, Equatable, Sendable {
    package enum Stage: String, Equatable, Sendable {
        case lookup
        case connect
        case handshake
        case upgrade
    }

    /// The name does not exist, or the name server does not answer.
    case unknownName(String, NameLookup.Failure)
    /// No address that the client may connect to was left.
    case forbidden(DialRefusal)
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

    /// Whether the request was certainly not carried out, because it was not written yet.
    package var isBeforeRequest: Bool {
        switch self {
        case .unknownName, .forbidden, .unreachable, .untrusted, .brokenHandshake: true
        case .timedOut(let stage), .lost(let stage): stage != .upgrade
        case .refused, .badAnswer, .unreadableAnswer, .cancelled: false
        }
    }
}
