import Glibc

enum DatagramSocket {
    /// Sends one datagram to a Unix socket; a leading `@` stands for the zero byte of an abstract
    /// name.
    static func send(_ bytes: [UInt8], to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        guard isAbstract || name.first == UInt8(ascii: "/"),
            name.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return false }
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(AF_UNIX, type, 0)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(
                    descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), address,
                    socklen_t(length)) == bytes.count
            }
        }
    }
}
