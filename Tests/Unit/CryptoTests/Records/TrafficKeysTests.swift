import Base
import COpenSSL
import Foundation
import Testing

@testable import Crypto

@Suite("The keys of TLS 1.3 records")
struct TrafficKeysTests {
    /// RFC 8448 section 3.
    private static let server = "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643"
    private static let client = "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5"

    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.utf8.count, by: 2).compactMap { place in
            UInt8(text.dropFirst(place).prefix(2), radix: 16)
        }
    }

    @Test(
        "Keys and IVs are those of RFC 8448",
        arguments: [
            (server, "9f02283b6c9c07efc26bb9f2ac92e356", "cf782b88dd83549aadf1e984"),
            (client, "17422dda596ed5d9acd890e3c63f5051", "5b78923dee08579033e523d9"),
        ])
    func vectors(secret: String, key: String, vector: String) throws {
        let keys = try TrafficKeys(.aes128, secret: Self.bytes(secret).span, sequence: 0)
        #expect(Array(keys.key) == Self.bytes(key))
        let nonce = keys.nonce
        #expect(nonce.span.array(0..<12) == Self.bytes(vector))
    }

    @Test("A record is that of RFC 8448")
    func record() throws {
        var keys = try TrafficKeys(.aes128, secret: Self.bytes(Self.client).span, sequence: 0)
        let ciphers = RecordCiphers()
        let text = Array(0..<50 as Range<UInt8>)
        let length = try ciphers.seal(
            text.span, ContentType.data, to: ciphers.output, &keys, of: 1)
        let expected =
            "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a"
            + "20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4"
        #expect(Array(ciphers.output[..<length]) == Self.bytes(expected))
    }

    @Test("A key seals 2^24 records of AES-GCM, and of ChaCha20 as many as there are numbers")
    func limits() {
        #expect(CipherSuite.allCases.map(\.recordsPerKey) == [1 << 24, 1 << 24, .max])
    }

    @Test("A nonce is the IV with the number of the record in its last eight bytes")
    func nonces() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let first = try TrafficKeys(.chacha20, secret: secret.span, sequence: 0)
        let other = try TrafficKeys(.chacha20, secret: secret.span, sequence: 0x0102_0304_0506_0708)
        let (vector, nonce) = (first.nonce, other.nonce)
        let difference = (0..<12).map { vector[$0] ^ nonce[$0] }
        #expect(difference == [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("An update changes the key, begins to count anew and overwrites the former secret")
    func update() throws {
        let secret = (0..<32).map { UInt8($0) }
        var keys = try TrafficKeys(.aes128, secret: secret.span, sequence: 5)
        let key = Array(keys.key)
        // The secret lies before the key.
        let before = UnsafeBufferPointer(
            start: keys.key.baseAddress.map { UnsafePointer($0 - 32) }, count: 32)
        #expect(Array(before) == secret)
        let isUpdated = try keys.update()
        #expect(isUpdated)
        let (sequence, epoch) = (keys.sequence, keys.epoch)
        #expect(sequence == 0 && epoch == 1)
        #expect(Array(before) != secret)
        #expect(Array(keys.key) != key)
    }

    @Test(
        "No number is used twice: the last one ends the connection", arguments: CipherSuite.allCases
    )
    func exhausted(suite: CipherSuite) throws {
        let secret = [UInt8](repeating: 7, count: suite.secretLength)
        var keys = try TrafficKeys(suite, secret: secret.span, sequence: .max - 1)
        let ciphers = RecordCiphers()
        _ = try ciphers.seal([1].span, ContentType.data, to: ciphers.output, &keys, of: 1)
        for _ in 0..<2 {
            #expect(throws: OpenSSLError.self) {
                try ciphers.seal([1].span, ContentType.data, to: ciphers.output, &keys, of: 1)
            }
        }
    }

    /// How many contexts are kept.
    private func contexts(of ciphers: RecordCiphers) -> Int {
        ["sealing", "opening"].map { name in
            let places = Mirror(reflecting: ciphers).descendant(name) as? [AnyObject?]
            return places?.count { $0 != nil } ?? .min
        }.reduce(0, +)
    }

    @Test("The contexts of a connection go when its keys change, and when it ends")
    func dropped() throws {
        let certificate = try TestCertificate(TestCertificate.localhost)
        let ciphers = RecordCiphers(recordsPerKey: 6)
        let neighbour = try Connection.established(certificate, ciphers)
        neighbour.settle()
        neighbour.talk()
        do {
            let connection = try Connection.established(certificate, ciphers)
            connection.settle()
            connection.talk()
            #expect(contexts(of: ciphers) == 4)
            SSL_key_update(connection.client.handle, SSL_KEY_UPDATE_NOT_REQUESTED)
            SSL_do_handshake(connection.client.handle)
            #expect(connection.serverReceives() == .wantsRead)
            #expect(contexts(of: ciphers) == 2)
            connection.talk()
            #expect(contexts(of: ciphers) == 4)
            // The ticket, two records and these: then the keys for writing are updated.
            for _ in 0..<4 { #expect(connection.server.write([1].span) == .bytes(1)) }
            #expect(contexts(of: ciphers) == 3)
        }
        #expect(contexts(of: ciphers) == 2)
        neighbour.talk()
    }

    @Test(
        "Connections that share a context never use each other's key",
        arguments: CipherSuite.allCases)
    func shared(suite: CipherSuite) throws {
        let ciphers = RecordCiphers()
        var random = SystemRandomNumberGenerator()
        var seen: Set<[UInt8]> = []
        for round in 0..<300 {
            // More than there are places for, some of which meet at one.
            let number = UInt64.random(in: 0..<40, using: &random)
            let secret = [UInt8](repeating: UInt8(number), count: suite.secretLength)
            let sequence = UInt64(round)
            var keys = try TrafficKeys(suite, secret: secret.span, sequence: sequence)
            let length = try ciphers.seal(
                [1, 2, 3].span, ContentType.data, to: ciphers.output, &keys, of: number)
            let record = Array(ciphers.output[..<length])
            #expect(seen.insert(record).inserted)
            // Another loop's ciphers have nothing of before.
            var same = try TrafficKeys(suite, secret: secret.span, sequence: sequence)
            let fresh = RecordCiphers()
            record.withUnsafeBufferPointer { _ = fresh.input.update(fromContentsOf: $0) }
            let opened = try fresh.open(fresh.input.extracting(0..<length), &same, of: 1)
            #expect(opened == 4)
            #expect(Array(fresh.input[5..<9]) == [1, 2, 3, 23])
        }
    }
}
