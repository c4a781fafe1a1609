import COpenSSL
import Foundation
import Testing
@testable import Crypto

@Suite("Floods inside a TLS connection")
struct FloodTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate(TestCertificate.localhost) }

    /// A connection after its handshake, and the records that its client can send.
    private func crafted(
        _ version: Int32, own: Bool
    ) throws -> (Connection, CraftedRecords) {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: "localhost",
            own ? RecordCiphers() : nil)
        connection.limitVersion(version)
        SSL_set_cipher_list(connection.client.handle, "ECDHE-ECDSA-AES128-GCM-SHA256")
        let secret = TrafficSecret()
        secret.listen(to: connection.client.handle)
        try #require(connection.handshake() == .done)
        return version == TLS1_3_VERSION
            ? (connection, CraftedRecords(trafficSecret: secret.bytes))
            : (connection, CraftedRecords(version12: connection.client.handle))
    }

    /// The state of the connection after that many of these records, each read by the server.
    private func ending(
        of version: Int32, own: Bool, after count: Int,
        _ make: (inout CraftedRecords, Int) -> [UInt8]
    ) throws -> TLSTransfer {
        var (connection, records) = try crafted(version, own: own)
        var last = TLSTransfer.wantsRead
        for index in 0..<count {
            connection.sockets.send(make(&records, index))
            last = connection.serverReceives()
            if case .failed = last { return last }
        }
        return last
    }

    @Test(
        "Many records without data end the connection, a few do not",
        arguments: ["key updates", "alerts", "empty records", "greetings", "empty 1.2 records"],
        [false, true])
    func floods(_ kind: String, own: Bool) throws {
        let version = kind == "greetings" || kind.contains("1.2") ? TLS1_2_VERSION : TLS1_3_VERSION
        let make = { (records: inout CraftedRecords, index: Int) -> [UInt8] in
            // Data in between, or OpenSSL itself would end the connection.
            guard index % 4 != 3 else { return records.record(CraftedRecords.data, [1]) }
            switch kind {
            case "key updates": return records.keyUpdate()
            case "alerts": return records.record(CraftedRecords.alert, [1, 90])
            case "greetings": return records.record(CraftedRecords.handshake, [1, 0, 0, 0])
            default: return records.record(CraftedRecords.data, [])
            }
        }
        for count in [60, 120] {
            let few = try ending(of: version, own: own, after: count, make)
            if case .failed = few { Issue.record("\(kind): \(count) are too many") }
        }
        let many = try ending(of: version, own: own, after: 1_000, make)
        guard case .failed = many else {
            Issue.record("\(kind): \(many)")
            return
        }
    }

    @Test(
        "Only a limited part of what a peer has sent ahead is read at once",
        arguments: [false, true])
    func turns(own: Bool) throws {
        let (connection, made) = try crafted(TLS1_3_VERSION, own: own)
        var records = made
        var bytes: [UInt8] = []
        for _ in 0..<5_000 { bytes += records.keyUpdate() }
        connection.sockets.send(bytes)
        _ = connection.serverReceives()
        #expect(try connection.sockets.waiting() > bytes.count / 2)
    }

    /// An unencrypted record, as before the handshake.
    private static func record(_ type: UInt8, _ bytes: some Collection<UInt8>) -> [UInt8] {
        [type, 3, 1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    /// The beginning of a ClientHello of 100,000 bytes.
    private static let greeting: [UInt8] =
        [1, 1, 0x86, 0xA0] + [UInt8](repeating: 3, count: 90_000)

    @Test("A large ClientHello is read in many turns")
    func greeting() throws {
        let sockets = try SocketPair()
        var server = try TLSStream(serving: sockets.second, certificate.server())
        for start in stride(from: 0, to: 80_000, by: 1_000) {
            let piece = Self.greeting[start..<start + 1_000]
            sockets.send(Self.record(CraftedRecords.handshake, piece))
        }
        #expect(server.handshake() == .wantsRead)
        #expect(try sockets.waiting() > 0)
    }

    @Test(
        "A handshake of too many small or empty records ends before it delays others",
        arguments: [0, 1, 30], [CraftedRecords.alert, CraftedRecords.handshake])
    func longHandshake(idle: Int, _ kind: UInt8) throws {
        let sockets = try SocketPair()
        var server = try TLSStream(serving: sockets.second, certificate.server())
        let nothing = Self.record(kind, kind == CraftedRecords.alert ? [1, 90] : [])
        let nothings = Array(repeating: nothing, count: idle).flatMap { $0 }
        var sent = 0
        for byte in Self.greeting {
            sockets.send(Self.record(CraftedRecords.handshake, [byte]) + nothings)
            sent += 1 + idle
            if case .failed = server.handshake() { break }
        }
        #expect(sent < 5_000)
    }

    @Test("A ClientHello with one record per byte is understood")
    func slowGreeting() throws {
        let (clients, servers) = (try SocketPair(), try SocketPair())
        var client = try TLSStream(
            connecting: clients.first, to: "localhost", certificate.client())
        var server = try TLSStream(serving: servers.second, certificate.server())
        _ = client.handshake()
        for byte in clients.received().dropFirst(5) {
            servers.send(Self.record(CraftedRecords.handshake, [byte]))
            let progress = server.handshake()
            #expect(progress == .wantsRead)
        }
        clients.sendBack(servers.receivedBack())
        let answered = client.handshake()
        #expect(answered == .done)
        servers.send(clients.received())
        let ended = server.handshake()
        #expect(ended == .done)
    }

    @Test(
        "Nothing is read while the answer to a key update finds no room", arguments: [false, true])
    func owed(own: Bool) throws {
        let (connection, made) = try crafted(TLS1_3_VERSION, own: own)
        var records = made
        connection.settle()
        // Sent and read past TLS.
        let junk = [UInt8](repeating: 0, count: 4_096)
        while write(connection.sockets.second, junk, junk.count) > 0 {}
        connection.sockets.send(records.keyUpdate(asks: true))
        // OpenSSL answers with its next write.
        #expect(connection.serverReceives() == (own ? .wantsWrite : .wantsRead))
        #expect(connection.server.write([1].span) == .wantsWrite)
        connection.sockets.send(records.record(CraftedRecords.data, [2, 3]))
        #expect(connection.serverReceives() == .wantsWrite)
        var away = [UInt8](repeating: 0, count: 1 << 20)
        while read(connection.sockets.first, &away, away.count) > 0 {}
        #expect(connection.serverReceives() == .bytes(2))
        #expect(connection.server.write([1].span) == .bytes(1))
        #expect(connection.clientReceives() == .bytes(1))
    }
}
