import Foundation
import TestSupport

/// The client's end of a connection to 127.0.0.1. Each read waits at most ten seconds.
final class ByteSocket {
    let descriptor: Int32
    private var received: ArraySlice<UInt8> = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, length)
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Ends the connection without a close, as if the cable were pulled out.
    func reset() {
        var lingers = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &lingers, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Whether unread bytes have arrived. Does not wait.
    var hasBytes: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func readOn() -> Bool {
        var room = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &room, room.count, 0)
        guard count > 0 else { return false }
        received += room[..<count]
        return true
    }

    /// A head with its empty line; less if the connection ends first.
    func head() -> String {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = Data(received).firstRange(of: end) {
                defer { received = received.dropFirst(range.upperBound) }
                return String(decoding: received.prefix(range.upperBound), as: UTF8.self)
            }
            guard readOn() else { return String(decoding: received, as: UTF8.self) }
        }
    }

    func bytes(_ count: Int) -> [UInt8] {
        while received.count < count, readOn() {}
        defer { received = received.dropFirst(count) }
        return Array(received.prefix(count))
    }

    /// The next frame; nil at the end, or if none comes.
    func frame() -> ConformanceFrame? {
        while true {
            var rest = received
            if let taken = ConformanceFrame.take(from: &rest) {
                received = rest
                return taken.frame
            }
            guard readOn() else { return nil }
        }
    }
}
