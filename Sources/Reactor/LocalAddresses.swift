package import Base
import CLinux
import Glibc

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
