import Foundation

/// Accepts connections on a free port of 127.0.0.1, for a test to answer by hand.
final class RawListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init(backlog: Int32 = 16) throws {
        let descriptor = RawSocket.unconnected()
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let isListening =
            withLoopback(0) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, backlog) == 0
            && withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length)
                }
            } == 0
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    func accept() throws -> RawSocket {
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection != -1 else { throw POSIXError(.ETIMEDOUT) }
        return RawSocket(owning: connection)
    }
}
