import COpenSSL
import Foundation
import Testing

@testable import Crypto

/// What a client may send after its handshake, and what no library sends. Each goes to a server with
/// records of its own and to one that OpenSSL keeps.
struct OddRecords: Sendable, CustomStringConvertible {
    let description: String
    let make: @Sendable (inout CraftedRecords) -> [UInt8]
    /// The alert that it gets; nil if it is accepted.
    let alert: Int?
    /// The same from OpenSSL, of which versions differ.
    let alertsOfOpenSSL: [Int?]

    private init(
        _ description: String, _ alert: Int?, openSSL: [Int?]?,
        _ make: @escaping @Sendable (inout CraftedRecords) -> [UInt8]
    ) {
        (self.description, self.alert, self.make) = (description, alert, make)
        alertsOfOpenSSL = openSSL ?? [alert]
    }

    private static func odd(
        _ description: String, _ alert: Int?, openSSL: [Int?]? = nil,
        _ make: @escaping @Sendable (inout CraftedRecords) -> [UInt8]
    ) -> OddRecords {
        OddRecords(description, alert, openSSL: openSSL, make)
    }

    /// Records of one type, one for each content.
    private static func sealed(
        _ description: String, _ alert: Int?, openSSL: [Int?]? = nil, _ type: UInt8,
        _ contents: [[UInt8]], padding: Int = 0
    ) -> OddRecords {
        odd(description, alert, openSSL: openSSL) { records in
            contents.flatMap { records.record(type, $0, padding: padding) }
        }
    }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
    private static func times(_ count: Int, _ content: [UInt8]) -> [[UInt8]] {
        Array(repeating: content, count: count)
    }

    private static let (alert, message, data) =
        (ContentType.alert, ContentType.handshake, ContentType.data)

    static let all = headers + texts + messages + alerts + floods

    private static let headers = [
        odd("change_cipher_spec", 10) { _ in [20, 3, 3, 0, 1, 1] },
        odd("an unencrypted alert", 10) { _ in [21, 3, 3, 0, 2, 1, 0] },
        odd("an unencrypted message", 10) { _ in [22, 3, 3, 0, 4, 1, 0, 0, 0] },
        odd("HTTP without TLS", 10, openSSL: [70, 10]) { _ in Array("GET / HTTP/1.1\r\n\r\n".utf8)
        },
        odd("another major version", 20, openSSL: [70, 50]) { records in
            var bytes = records.record(data, [1])
            bytes[1] = 2
            return bytes
        },
        odd("another minor version", 20, openSSL: [50]) { records in
            var bytes = records.record(data, [1])
            bytes[2] = 1
            return bytes
        },
        odd("a length beyond all", 22) { _ in [23, 3, 3, 0xFF, 0xFF] },
        odd("a length beyond the limit", 22) { _ in [23, 3, 3, 0x41, 1] },
        odd("no room for a type", 20) { _ in [23, 3, 3, 0, 16] + zeros(16) },
        odd("a wrong tag", 20) { records in
            var bytes = records.record(data, [1])
            bytes[bytes.count - 1] ^= 1
            return bytes
        },
        odd("a changed byte", 20) { records in
            var bytes = records.record(data, [1])
            bytes[5] ^= 1
            return bytes
        },
        odd("the first record again", 20) { records in
            let bytes = records.record(data, [1])
            return bytes + bytes
        },
    ]

    private static let texts = [
        sealed("data", nil, data, [[1], [2, 3]]),
        sealed("padded data", nil, data, [[1], [2]], padding: 300),
        sealed("the longest data", nil, data, [zeros(1 << 14)]),
        sealed("data that is too long", 22, data, [zeros((1 << 14) + 1)]),
        sealed("the longest padding", nil, data, [[1]], padding: (1 << 14) - 1),
        sealed("padding that is too long", 22, openSSL: [nil], data, [[1]], padding: 1 << 14),
        sealed("empty data", nil, data, [[], []]),
        sealed("empty data with padding", nil, data, [[], []], padding: 20),
        sealed("no type", 10, 0, [[]]),
        sealed("two zeros", 10, 0, [[0]]),
        sealed("only zeros", 10, 0, [zeros(1 << 14)]),
        sealed("sealed change_cipher_spec", 10, 20, [[1]]),
        sealed("heartbeat", 10, 24, [[1]]),
        sealed("an unknown type", 10, 255, [[1]]),
    ]

    private static let update: [UInt8] = [24, 0, 0, 1, 0]

    private static let messages =
        [
            odd("KeyUpdate", nil) { $0.keyUpdate() + $0.keyUpdate() },
            odd("KeyUpdate that asks", nil) { $0.keyUpdate(asks: true) },
            odd("KeyUpdate in five records", nil) { $0.keyUpdate(lengths: [1, 1, 1, 1, 1]) },
            odd("KeyUpdate in halves", nil) { $0.keyUpdate(lengths: [2, 3]) },
            odd("the old key after KeyUpdate", 20) { records in
                var old = records
                _ = old.record(message, update)
                return records.keyUpdate() + old.record(data, [1])
            },
            sealed("an empty message", 10, message, [[]]),
            sealed("an empty message with padding", 10, message, [[]], padding: 9),
            sealed("two of KeyUpdate", 10, message, [update + update]),
            sealed("a byte behind KeyUpdate", 10, message, [update + [24]]),
            sealed("KeyUpdate without a value", 50, message, [[24, 0, 0, 0]]),
            sealed("KeyUpdate of two bytes", 50, openSSL: [47], message, [[24, 0, 0, 2, 0, 0]]),
            sealed("KeyUpdate with value 2", 47, message, [[24, 0, 0, 1, 2]]),
            sealed("KeyUpdate with value 255", 47, message, [[24, 0, 0, 1, 255]]),
            odd("data within KeyUpdate", 10) {
                $0.record(message, [24, 0]) + $0.record(data, [1])
            },
            odd("an alert within KeyUpdate", 10) {
                $0.record(message, [24, 0]) + $0.record(alert, [1, 90])
            },
            odd("close_notify within KeyUpdate", 10) {
                $0.record(message, [24, 0]) + $0.record(alert, [1, 0])
            },
        ]
        + [0, 1, 4, 5, 11, 13, 15, 20, 99, 254].map { type in
            sealed("message \(type)", 10, message, [[type, 0, 0, 1, 0]])
        }

    private static let alerts = [
        sealed("an empty alert", 10, alert, [[]]),
        sealed("an empty alert with padding", 10, alert, [[]], padding: 5),
        sealed("half an alert", 50, openSSL: [10], alert, [[2]]),
        sealed("an alert and a half", 50, openSSL: [10], alert, [[1, 90, 1]]),
        sealed("user_canceled", nil, alert, times(3, [1, 90])),
    ]

    private static let floods = [
        sealed("32 empty records", nil, data, times(32, [])),
        sealed("33 empty records", 10, data, times(33, [])),
        sealed("33 times user_canceled", 10, alert, times(33, [1, 90])),
        odd("33 of KeyUpdate", 10, openSSL: [nil]) { records in
            (0..<33).flatMap { _ in records.keyUpdate() }
        },
        odd("32 of KeyUpdate, again and again", nil) { records in
            (0..<3).flatMap { _ in
                (0..<32).flatMap { _ in records.keyUpdate() } + records.record(data, [1])
            }
        },
    ]
}

@Suite("Odd records after a handshake of TLS 1.3")
struct OddRecordTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate(TestCertificate.localhost) }

    /// A connection after its handshake, and the records that its client can send.
    private func crafted(_ ciphers: RecordCiphers?) throws -> (Connection, CraftedRecords) {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: "localhost", ciphers)
        let secret = TrafficSecret()
        secret.listen(to: connection.client.handle)
        try #require(connection.handshake() == .done)
        #expect(connection.serverHasOwnRecords == (ciphers != nil))
        return (connection, CraftedRecords(trafficSecret: secret.bytes))
    }

    /// Everything that the server reads, and why it stops.
    private func readAll(_ connection: Connection) -> (bytes: [UInt8], end: TLSTransfer) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var all: [UInt8] = []
        while true {
            var span = bytes.mutableSpan
            let transfer = connection.server.read(into: &span)
            guard case .bytes(let count) = transfer else { return (all, transfer) }
            all += bytes[..<count]
        }
    }

    /// The alert that the client gets; nil if there is none.
    private func alert(_ connection: Connection) -> Int? {
        guard case .failed(let error) = connection.clientReceives() else { return nil }
        let reason = ERR_GET_REASON(error.code)
        return reason > SSL_AD_REASON_OFFSET ? Int(reason - SSL_AD_REASON_OFFSET) : nil
    }

    private func outcome(_ odd: OddRecords, _ ciphers: RecordCiphers?, piece: Int) throws -> Int? {
        var (connection, records) = try crafted(ciphers)
        let bytes = odd.make(&records)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            connection.sockets.send(Array(bytes[start..<min(start + piece, bytes.count)]))
            let (_, end) = readAll(connection)
            if case .failed = end { return alert(connection) }
        }
        connection.sockets.send(records.record(ContentType.data, [1, 2, 3, 250]))
        let (received, end) = readAll(connection)
        if case .failed = end { return alert(connection) }
        #expect(received.last == 250)
        return nil
    }

    @Test("Each gets the right alert, however it is cut", arguments: OddRecords.all)
    func own(odd: OddRecords) throws {
        for piece in [40_000, 1_000, 7, 1] {
            let ciphers = RecordCiphers()
            #expect(try outcome(odd, ciphers, piece: piece) == odd.alert, "\(piece)")
        }
    }

    @Test("OpenSSL answers the same, or otherwise where it is known to", arguments: OddRecords.all)
    func openSSL(odd: OddRecords) throws {
        let alert = try outcome(odd, nil, piece: 40_000)
        #expect(odd.alertsOfOpenSSL.contains(alert), "\(alert.map(String.init) ?? "none")")
    }

    @Test("No byte of a record can be changed")
    func flipped() throws {
        for index in 0..<40 {
            var (connection, records) = try crafted(RecordCiphers())
            var bytes = records.record(ContentType.data, [UInt8](repeating: 1, count: 18))
            bytes[index] ^= 0x80
            connection.sockets.send(bytes + [UInt8](repeating: 0, count: 1 << 15))
            let (received, end) = readAll(connection)
            #expect(received.isEmpty)
            guard case .failed = end else {
                Issue.record("byte \(index): \(end)")
                return
            }
        }
    }

    @Test("Data before a close_notify is read, and what follows is not")
    func closed() throws {
        var (connection, records) = try crafted(RecordCiphers())
        connection.settle()
        connection.sockets.send(
            records.record(ContentType.data, [1]) + records.record(ContentType.alert, [1, 0])
                + records.record(ContentType.data, [2]) + [9, 9, 9])
        let first = connection.serverReceives()
        #expect(first == .bytes(1))
        #expect(connection.serverHasPending)
        #expect(readAll(connection).end == .closed)
        #expect(connection.server.write([3].span) == .bytes(1))
        #expect(connection.clientReceives() == .bytes(1))
        #expect(connection.server.shutdown() == .done)
        #expect(connection.clientReceives() == .closed)
    }

    @Test("user_canceled and then close_notify is an end")
    func canceled() throws {
        var (connection, records) = try crafted(RecordCiphers())
        connection.sockets.send(
            records.record(ContentType.alert, [1, 90]) + records.record(ContentType.alert, [1, 0]))
        #expect(connection.serverReceives() == .closed)
    }

    @Test("After another alert nothing is sent, whatever its level", arguments: [1, 2] as [UInt8])
    func givenUp(level: UInt8) throws {
        for number in (1...255 as ClosedRange<UInt8>) where number != 90 && number % 5 == 0 {
            var (connection, records) = try crafted(RecordCiphers())
            connection.settle()
            connection.sockets.send(records.record(ContentType.alert, [level, number]))
            guard case .failed = connection.serverReceives() else {
                Issue.record("alert \(number)")
                return
            }
            if case .failed = connection.server.write([1].span) {} else { Issue.record("written") }
            _ = connection.server.shutdown()
            #expect(connection.sockets.receivedBack().isEmpty)
        }
    }

    @Test("After a fatal alert of ours nothing is sent or taken")
    func refused() throws {
        var (connection, records) = try crafted(RecordCiphers())
        connection.settle()
        connection.sockets.send([20, 3, 3, 0, 1, 1])
        _ = connection.serverReceives()
        #expect(connection.sockets.receivedBack().count == 24)
        connection.sockets.send(records.record(ContentType.data, [1]))
        guard case .failed = connection.serverReceives() else {
            Issue.record("taken")
            return
        }
        _ = connection.server.write([1].span)
        _ = connection.server.shutdown()
        #expect(connection.sockets.receivedBack().isEmpty)
    }

    @Test("The end of the socket without close_notify is an abrupt end, also within a record")
    func truncated() throws {
        for cut in [0, 3, 10] {
            var (connection, records) = try crafted(RecordCiphers())
            let record = records.record(ContentType.data, [1, 2, 3])
            connection.sockets.send(Array(record[..<cut]))
            connection.sockets.endFirst()
            _ = readAll(connection)
            #expect(isAbrupt(readAll(connection).end))
        }
    }

    @Test("A KeyUpdate that asks is answered although nothing else is sent")
    func answered() throws {
        var (connection, records) = try crafted(RecordCiphers())
        connection.settle()
        connection.sockets.send(records.keyUpdate(asks: true))
        #expect(connection.serverReceives() == .wantsRead)
        let answer = connection.sockets.receivedBack()
        #expect(answer.count == 27)
        connection.sockets.send(records.keyUpdate())
        #expect(connection.serverReceives() == .wantsRead)
        #expect(connection.sockets.receivedBack().isEmpty)
        connection.sockets.sendBack(answer)
        connection.sockets.send(records.record(ContentType.data, [1]))
        #expect(connection.serverReceives() == .bytes(1))
        #expect(connection.server.write([2, 3].span) == .bytes(2))
        #expect(connection.clientReceives() == .bytes(2))
    }

    @Test("A peer that asks for KeyUpdates and never reads gets nothing queued")
    func deaf() throws {
        var (connection, records) = try crafted(RecordCiphers())
        connection.settle()
        let junk = [UInt8](repeating: 0, count: 4_096)
        while write(connection.sockets.second, junk, junk.count) > 0 {}
        var sent = 0
        while sent < 100_000 {
            let bytes = records.keyUpdate(asks: true) + records.record(ContentType.data, [1])
            guard write(connection.sockets.first, bytes, bytes.count) == bytes.count else { break }
            sent += 1
            _ = connection.serverReceives()
        }
        #expect(sent < 20_000)
        #expect(connection.serverReceives() == .wantsWrite)
    }

    @Test("Own KeyUpdates come when the key has sealed as many records as it may")
    func ownUpdates() throws {
        let connection = try Connection.established(
            certificate, RecordCiphers(recordsPerKey: 8))
        connection.settle()
        for index in 1..<1_000 {
            #expect(connection.server.write([UInt8(index & 0xFF)].span) == .bytes(1))
            #expect(connection.clientReceives() == .bytes(1))
        }
        // The ticket, and the KeyUpdate itself, count too.
        for index in 1...18 {
            #expect(connection.server.write([1].span) == .bytes(1))
            let sent = connection.sockets.receivedBack()
            #expect(sent.count == (index % 8 == 1 ? 27 + 23 : 23), "\(index)")
        }
    }

    @Test("There is no KeyUpdate of ours without need")
    func noUpdates() throws {
        let connection = try Connection.established(certificate, RecordCiphers())
        connection.settle()
        for _ in 0..<2_000 {
            #expect(connection.server.write([1].span) == .bytes(1))
            // One record of one byte.
            #expect(connection.sockets.receivedBack().count == 23)
        }
    }
}
