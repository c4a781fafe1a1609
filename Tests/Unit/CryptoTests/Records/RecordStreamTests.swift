import Foundation
import Testing

@testable import Crypto

@Suite("Records of our own on a socket")
struct RecordStreamTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate(TestCertificate.localhost) }

    /// A connection after its handshake, and the records that its client can send.
    private func crafted() throws -> (Connection, CraftedRecords) {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: "localhost", RecordCiphers())
        let secret = TrafficSecret()
        secret.listen(to: connection.client.handle)
        try #require(connection.handshake() == .done)
        return (connection, CraftedRecords(trafficSecret: secret.bytes))
    }

    @Test("A close_notify waits for room in the socket, and fails where nobody reads any more")
    func lateClose() throws {
        let connection = try Connection.established(certificate, RecordCiphers())
        connection.settle()
        let text = [UInt8](repeating: 1, count: 16_384)
        while connection.server.write(text.span) != .wantsWrite {}
        #expect(connection.server.shutdown() == .wantsWrite)
        var received = 0
        while case .bytes(let count) = connection.clientReceives() { received += count }
        #expect(received > 0)
        while connection.server.write(text.span) == .wantsWrite { _ = connection.clientReceives() }
        #expect(connection.server.shutdown() == .done)
        while case .bytes = connection.clientReceives() {}
        #expect(connection.clientReceives() == .closed)

        let other = try Connection.established(certificate, RecordCiphers())
        shutdown(other.sockets.first, Int32(SHUT_RD))
        guard case .failed = other.server.shutdown() else {
            Issue.record("nobody reads it")
            return
        }
    }

    @Test("Two records and what fits behind them are sealed at once, and never more than fits")
    func room() throws {
        for further in 940...970 {
            let connection = try Connection.established(certificate, RecordCiphers())
            connection.settle()
            let text = [UInt8](repeating: 1, count: 32_768 + further)
            let hasRoom = further + 3 * RecordHeader.overhead + 32_768 <= 33 * 1024
            let transfer = connection.server.write(text.span)
            #expect(transfer == .bytes(hasRoom ? text.count : 32_768))
        }
    }

    @Test("Records are read as far as their data has room, and the others by the next call")
    func filled() throws {
        var (connection, records) = try crafted()
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        for (second, reads) in [(1 << 14, [1, 1 << 14]), ((1 << 14) - 1, [1 << 14])] {
            let text = [UInt8](repeating: 7, count: second)
            connection.sockets.send(
                records.record(ContentType.data, [1]) + records.record(ContentType.data, text))
            for count in reads {
                var span = buffer.mutableSpan
                let transfer = connection.server.read(into: &span)
                #expect(transfer == .bytes(count))
            }
        }
    }

    @Test("After our close_notify nothing more is sent, and what comes is still read")
    func ended() throws {
        var (connection, records) = try crafted()
        connection.settle()
        #expect(connection.server.shutdown() == .done)
        #expect(connection.sockets.receivedBack().count == 24)
        if case .failed = connection.server.write([1].span) {} else { Issue.record("written") }
        #expect(connection.server.shutdown() == .done)
        connection.sockets.send(
            records.keyUpdate(asks: true) + records.record(ContentType.data, [1]))
        #expect(connection.serverReceives() == .bytes(1))
        #expect(connection.sockets.receivedBack().isEmpty)
    }
}
