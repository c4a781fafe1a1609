import Foundation
import Testing

/// Two connected, non-blocking sockets.
final class SocketPair {
    let first: Int32
    let second: Int32

    init() throws {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw POSIXError(.EMFILE) }
        (first, second) = (numbers[0], numbers[1])
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        close(first)
        close(second)
    }

    /// Sends as the first socket, past any TLS.
    func send(_ bytes: [UInt8]) {
        #expect(write(first, bytes, bytes.count) == bytes.count)
    }

    func endFirst() { shutdown(first, Int32(SHUT_WR)) }

    /// How many bytes the second socket has not read.
    func waiting() throws -> Int {
        var count: Int32 = 0
        try #require(ioctl(second, UInt(FIONREAD), &count) == 0)
        return Int(count)
    }

    /// What the second socket has received.
    func received() -> [UInt8] { Self.received(second) }

    /// Sends as the second socket.
    func sendBack(_ bytes: [UInt8]) {
        #expect(write(second, bytes, bytes.count) == bytes.count)
    }

    func receivedBack() -> [UInt8] { Self.received(first) }

    private static func received(_ descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }
}
