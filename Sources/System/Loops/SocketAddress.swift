package import Base
import CLinux
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

extension SocketAddress {
    /// An address in the kernel's format.
    struct Storage {
        private var bytes = sockaddr_storage()
        private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

        /// Room for an address to receive.
        init() {}

        /// IPv4 addresses stay IPv4: such a socket does not use IPv6.
        init(_ address: SocketAddress) throws(SystemError) {
            switch address {
            case .ip(let ip, let port):
                if let v4 = ip.v4 {
                    fill(Self.v4(v4, port))
                } else {
                    fill(Self.v6(ip, port))
                }
            case .unix(let path):
                guard let name = Self.unix(path) else {
                    throw SystemError("path", code: ENAMETOOLONG, about: address.description)
                }
                fill(name)
            }
        }

        var family: Int32 { Int32(bytes.ss_family) }

        func withPointer<Value>(
            _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
        ) -> Value {
            withUnsafeBytes(of: bytes) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                    // The pointer is never nil, because it points to the storage.
                    guard let base = pointer.baseAddress else {
                        preconditionFailure("the pointer is nil")
                    }
                    return body(base, length)
                }
            }
        }

        /// Lets a call such as `getpeername` write the address.
        mutating func receive(
            _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) -> Int32 {
            length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &bytes) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
            }
        }

        /// Nil for a family other than IP and Unix.
        var address: SocketAddress? {
            switch family {
            case AF_INET:
                let name = value(as: sockaddr_in.self)
                return .ip(
                    IPAddress(v4: UInt32(bigEndian: name.sin_addr.s_addr)),
                    port: UInt16(bigEndian: name.sin_port))
            case AF_INET6:
                let name = value(as: sockaddr_in6.self)
                let (high, low) = withUnsafeBytes(of: name.sin6_addr) { bytes in
                    (bytes.load(as: UInt64.self), bytes.load(fromByteOffset: 8, as: UInt64.self))
                }
                return .ip(
                    IPAddress(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)),
                    port: UInt16(bigEndian: name.sin6_port))
            case AF_UNIX: return .unix(path: path)
            default: return nil
            }
        }

        /// A path ends at a zero byte; an abstract name begins with one.
        private var path: String {
            withUnsafeBytes(of: bytes) { bytes in
                let end = min(Int(length), MemoryLayout<sockaddr_un>.size)
                guard end > Self.pathOffset else { return "" }
                let name = bytes[Self.pathOffset..<end]
                if name.first == 0 {
                    return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
                }
                return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
        }

        private static var pathOffset: Int { MemoryLayout<sa_family_t>.size }

        private mutating func fill<Name>(_ name: Name) {
            withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: name, as: Name.self) }
            length = socklen_t(MemoryLayout<Name>.size)
        }

        private func value<Name>(as type: Name.Type) -> Name {
            withUnsafeBytes(of: bytes) { $0.load(as: type) }
        }

        private static func v4(_ bits: UInt32, _ port: UInt16) -> sockaddr_in {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = bits.bigEndian
            return name
        }

        private static func v6(_ ip: IPAddress, _ port: UInt16) -> sockaddr_in6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &name.sin6_addr) { bytes in
                bytes.storeBytes(of: ip.high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: ip.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return name
        }

        /// Nil if it does not fit; one byte is kept for the zero at the end.
        private static func unix(_ path: String) -> sockaddr_un? {
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let isWhole = withUnsafeMutableBytes(of: &name.sun_path) { room in
                guard path.utf8.count < room.count else { return false }
                room.copyBytes(from: path.utf8)
                return true
            }
            return isWhole ? name : nil
        }
    }
}

/// The addresses of this machine.
package enum LocalAddresses {
    /// Empty if the kernel does not report them.
    package static var all: Set<IPAddress> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: Set<IPAddress> = []
        var entry = list
        while let found = entry {
            entry = found.pointee.ifa_next
            guard let name = found.pointee.ifa_addr else { continue }
            if case .ip(let address, _)? = SocketAddress(name) { addresses.insert(address) }
        }
        return addresses
    }
}

extension SocketAddress {
    /// Nil unless it is an IP address.
    init?(_ name: UnsafeMutablePointer<sockaddr>) {
        let size: Int
        switch Int32(name.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var storage = Storage()
        let result = storage.receive { room, length in
            guard size <= length.pointee else { return -1 }
            memcpy(room, name, size)
            length.pointee = socklen_t(size)
            return 0
        }
        guard result == 0, let address = storage.address else { return nil }
        self = address
    }
}
