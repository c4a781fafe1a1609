package import Base
import Glibc

/// The address of a socket: IP and port, or a path.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
    case ip(IPAddress, port: UInt16)
    /// Empty for a peer without a name; `@` stands for the zero byte of an abstract name.
    case unix(path: String)

    /// The canonical text: `192.0.2.7:443`, `[2001:db8::1]:443`, `unix:/run/a.sock`.
    package var description: String {
        switch self {
        case .ip(let address, let port):
            address.v4 == nil ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Reads `ADDRESS:PORT` with version 6 in brackets, and `unix:/PATH`. Names are not looked up.
    package init?(_ text: String) {
        if text.hasPrefix("unix:/") {
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.port(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let literal = isBracketed ? host.dropFirst().dropLast() : host
        guard let address = IPAddress(String(literal)), literal.contains(":") == isBracketed
        else { return nil }
        self = .ip(address, port: port)
    }

    private static func port(_ text: Substring) -> UInt16? {
        let digits = Array(text.utf8)
        return digits.count <= 5 ? UInt16(decimalDigits: digits.span) : nil
    }

    /// The same address with the actual port.
    func with(port: UInt16) -> SocketAddress {
        guard case .ip(let address, _) = self else { return self }
        return .ip(address, port: port)
    }
}
