import Crypto
import Foundation
import System
@testable import HTTP

/// A client that sends bytes and reads bytes through TLS, trusting a certificate of its own.
final class EncryptedClient {
    private let connection: RawClient
    private var stream: TLSStream

    /// `pause` comes between the connection and the handshake.
    init(
        port: UInt16, _ certificate: DevelopmentCertificate, _ spoken: ApplicationProtocol,
        receiveBuffer: Int32? = nil, pause: () -> Void = {}
    ) throws {
        signal(SIGPIPE, SIG_IGN)
        let authority = try Data(contentsOf: URL(filePath: certificate.authorityPath))
        let context = try TLSContext(client: .authorities(Array(authority)), protocols: [spoken])
        connection = try RawClient(port: port)
        if var size = receiveBuffer {
            setsockopt(connection.descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        pause()
        stream = try TLSStream(connecting: connection.descriptor, to: "localhost", context)
        guard stream.handshake() == .done else { throw POSIXError(.ECONNABORTED) }
    }

    func send(_ bytes: [UInt8]) {
        _ = stream.write(bytes.span)
    }

    /// Sends each piece in its own TLS record, and all records in one packet.
    func sendTogether(_ pieces: [String]) {
        setCork(1)
        for piece in pieces { send(Array(piece.utf8)) }
        setCork(0)
    }

    private func setCork(_ value: Int32) {
        var value = value
        setsockopt(
            connection.descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends this, and in the same packet that nothing else follows.
    func sendLast(_ bytes: [UInt8]) {
        setCork(1)
        send(bytes)
        _ = stream.shutdown()
        setCork(0)
    }

    /// The next bytes; nil at the end, or if none come within five seconds.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var span = bytes.mutableSpan
        guard case .bytes(let count) = stream.read(into: &span) else { return nil }
        return Array(bytes[..<count])
    }

    /// Everything up to the end; nil if the end does not come within five seconds.
    func readToEnd() -> [UInt8]? {
        var received: [UInt8] = []
        let start = ContinuousClock.now
        while let bytes = receive() { received += bytes }
        return ContinuousClock.now - start < .seconds(5) ? received : nil
    }
}

extension DevelopmentCertificate {
    /// A certificate for one test, in its own folder.
    static func forTest() throws -> DevelopmentCertificate {
        let folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        return try DevelopmentCertificate(
            in: folder, hostName: "test.invalid", now: WallClock.now)
    }
}
