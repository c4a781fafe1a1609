import Foundation

/// Accepts one connection on a free port of 127.0.0.1, reads one request and sends one fixed
/// answer.
package final class OneRequestServer: Sendable {
    package let port: UInt16
    private let listener: Int32

    package init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard result else { throw POSIXError(.EADDRINUSE) }
        // A request that never comes must not hang the test.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            listener, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// Waits for the request, answers it, and returns its head and body; both are empty if none
    /// comes.
    package func serve(_ answer: String) -> (head: String, body: [UInt8]) {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return ("", []) }
        defer { close(connection) }
        var received: [UInt8] = []
        var head = ""
        var wanted = Int.max
        while received.count < wanted {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = read(connection, &chunk, chunk.count)
            guard count > 0 else { break }
            received += chunk[..<count]
            guard head.isEmpty, let end = Self.headEnd(received) else { continue }
            head = String(decoding: received[..<end], as: UTF8.self)
            let field = head.lowercased().split(separator: "\r\n")
                .first { $0.hasPrefix("content-length:") }
            wanted =
                end
                + (field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0)
        }
        _ = Array(answer.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        return (head, Array(received.dropFirst(head.utf8.count)))
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        Data(bytes).range(of: Data("\r\n\r\n".utf8))?.upperBound
    }
}
