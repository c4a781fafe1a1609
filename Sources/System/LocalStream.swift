import Glibc

/// A blocking connection to a Unix socket of this machine.
package struct LocalStream: ~Copyable {
    private let file: FileDescriptor
    private var lines: LineReader

    package init(_ path: String, lineLimit: Int) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8.prefix(MemoryLayout.size(ofValue: address.sun_path) - 1))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let file = FileDescriptor(
            owning: try ensure("socket") { socket(AF_UNIX, type, 0) })
        _ = try withUnsafePointer(to: &address) { address throws(SystemError) in
            try address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address throws(SystemError) in
                try ensure("connect") {
                    connect(file.number, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        lines = LineReader(limit: lineLimit, from: file.number)
        self.file = file
    }

    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            let rest = bytes.extracting(start..<bytes.count)
            start += try rest.withUnsafeBytes { rest throws(SystemError) in
                try ensure("send") {
                    send(file.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// Nil at the end.
    package mutating func next() throws(SystemError) -> LineReader.Line? { try lines.next() }
}
