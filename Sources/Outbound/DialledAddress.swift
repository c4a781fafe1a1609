package import Base
import CCurl
import Glibc

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
