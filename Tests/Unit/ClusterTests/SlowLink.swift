import Foundation
import Glibc
import System

/// A port of this machine that leads to another one, and takes its time in both directions.
final class SlowLink: Sendable {
    let port: UInt16
    private let target: UInt16
    /// In seconds, one way.
    private let delay: Double
    private let listener: Int32
    private let sockets = Lock<[Int32]>([])

    init(to target: UInt16, delay: Double) throws {
        (self.target, self.delay) = (target, delay)
        (listener, port) = try FreePort.listen()
        let accepting = Thread { [listener, weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.lead(client)
            }
        }
        accepting.start()
    }

    /// Ends all connections.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for socket in sockets.withLock({ $0 }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func lead(_ client: Int32) {
        guard let server = try? FreePort.connected(to: target) else {
            close(client)
            return
        }
        sockets.withLock { $0 += [client, server] }
        pass(from: client, to: server)
        pass(from: server, to: client)
    }

    private func pass(from source: Int32, to destination: Int32) {
        // One after the other, so what is sent stays in order.
        let queue = DispatchQueue(label: "slow-link")
        let delay = delay
        let reading = Thread {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(source, &buffer, buffer.count)
                guard count > 0 else { break }
                let (bytes, due) = (Array(buffer[..<count]), Date(timeIntervalSinceNow: delay))
                queue.async {
                    Thread.sleep(until: due)
                    Self.write(bytes, to: destination)
                }
            }
            queue.async { shutdown(destination, Int32(SHUT_RDWR)) }
        }
        reading.start()
    }

    private static func write(_ bytes: [UInt8], to socket: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}

extension FreePort {
    /// A socket that takes connections, and its port.
    static func listen() throws -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port = try bound(listener)
        guard Glibc.listen(listener, 16) == 0 else { throw NoPort() }
        return (listener, port)
    }

    static func connected(to port: UInt16) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(of: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(client)
            throw NoPort()
        }
        return client
    }
}
