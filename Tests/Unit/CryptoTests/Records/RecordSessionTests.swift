import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Crypto

/// A client of OpenSSL over memory, so that what passes can be cut anywhere. It belongs to one thread.
final class MemoryClient {
    let handle: OpaquePointer
    private let context: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    init(_ suite: String, fragment: UInt8 = 0, session: OpaquePointer? = nil) throws {
        context = try #require(SSL_CTX_new(TLS_client_method()))
        handle = try #require(SSL_new(context))
        incoming = try #require(BIO_new(BIO_s_mem()))
        outgoing = try #require(BIO_new(BIO_s_mem()))
        SSL_set_bio(handle, incoming, outgoing)
        SSL_set_ciphersuites(handle, suite)
        SSL_set_tlsext_max_fragment_length(handle, fragment)
        if let session { SSL_set_session(handle, session) }
        SSL_set_connect_state(handle)
    }

    deinit {
        SSL_free(handle)
        SSL_CTX_free(context)
    }

    /// What the client has to send.
    func take() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(outgoing))
        BIO_read(outgoing, &bytes, Int32(bytes.count))
        return bytes
    }

    func give(_ bytes: [UInt8]) { BIO_write(incoming, bytes, Int32(bytes.count)) }

    func write(_ bytes: [UInt8]) {
        #expect(SSL_write(handle, bytes, Int32(bytes.count)) == Int32(bytes.count))
    }

    /// All data that has come whole.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            ERR_clear_error()
            let count = SSL_read(handle, &bytes, Int32(bytes.count))
            guard count > 0 else {
                let kind = SSL_get_error(handle, count)
                if kind != SSL_ERROR_WANT_READ, kind != SSL_ERROR_ZERO_RETURN {
                    Issue.record("\(TLSError("SSL_read"))")
                }
                return all
            }
            all += bytes[..<Int(count)]
        }
    }
}

/// One connection between OpenSSL's records and ours, with everything left to chance.
private final class RandomSession {
    private static let suites = [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    ]

    private var random: SeededGenerator
    private let client: MemoryClient
    private let sockets: SocketPair
    private var server: TLSStream
    /// On its way to the server, to which a socket gives it in pieces.
    private var onWay: [UInt8] = []
    private var (clientSent, serverReceived): ([UInt8], [UInt8]) = ([], [])
    private var (serverWants, serverSent, clientReceived): ([UInt8], [UInt8], [UInt8]) = (
        [], [], []
    )

    init(seed: UInt64, _ context: TLSContext) throws {
        random = SeededGenerator(seed: seed)
        let fragment = UInt8.random(in: 0...8, using: &random)
        client = try MemoryClient(
            Self.suites[Int.random(in: 0..<3, using: &random)],
            fragment: fragment <= 4 ? fragment : 0)
        sockets = try SocketPair()
        let limit = [1, 2, 7, nil].randomElement(using: &random) ?? nil
        let ciphers = RecordCiphers(recordsPerKey: limit.map(UInt64.init))
        server = try TLSStream(serving: sockets.second, context, ciphers)
        SSL_set_block_padding(
            client.handle, [0, 0, 64, 512, 16_384].randomElement(using: &random) ?? 0)
        if Bool.random(using: &random) {
            var size: Int32 = 4_608
            setsockopt(sockets.second, SOL_SOCKET, SO_SNDBUF, &size, 4)
        }
        for _ in 0..<100_000 where !server.hasOwnRecords {
            SSL_do_handshake(client.handle)
            onWay += client.take()
            passToServer()
            _ = server.handshake()
            passToClient()
            // What follows Finished may be in the same segment.
            if SSL_is_init_finished(client.handle) == 1, clientSent.isEmpty { clientWrites() }
        }
        let isOwn = server.hasOwnRecords
        try #require(isOwn)
    }

    private func bytes(upTo limit: Int) -> [UInt8] {
        let count = Int.random(in: 1...limit, using: &random)
        let seed = UInt8.random(in: .min ... .max, using: &random)
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) &+ seed }
    }

    private var size: Int { [1, 20, 700, 17_000, 60_000].randomElement(using: &random) ?? 1 }

    private func clientWrites() {
        let text = bytes(upTo: size)
        client.write(text)
        clientSent += text
        onWay += client.take()
    }

    private func serverWrites() {
        guard !serverWants.isEmpty else { return }
        switch server.write(serverWants.span) {
        case .bytes(let count):
            serverSent += serverWants[..<count]
            serverWants.removeFirst(count)
        case .wantsWrite: break
        case let other: expect(false, "writing gave \(other)")
        }
    }

    private func serverReads() {
        var buffer = [UInt8](repeating: 0, count: Int.random(in: 16_384...40_000, using: &random))
        repeat {
            var span = buffer.mutableSpan
            let transfer = server.read(into: &span)
            guard case .bytes(let count) = transfer else {
                let isWaiting = transfer == .wantsRead || transfer == .wantsWrite
                expect(isWaiting, "reading gave \(transfer)")
                return
            }
            serverReceived += buffer[..<count]
        } while server.hasPending
    }

    private func passToServer() {
        let count = min(Int.random(in: 1...size, using: &random), onWay.count)
        let sent = write(sockets.first, onWay, count)
        if sent > 0 { onWay.removeFirst(sent) }
    }

    private func passToClient() {
        var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...size, using: &random))
        let count = read(sockets.first, &buffer, buffer.count)
        if count > 0 { client.give(Array(buffer[..<count])) }
    }

    private func clientReads() {
        clientReceived += client.readAll()
        // An answer to a KeyUpdate.
        onWay += client.take()
    }

    private func updateKey() {
        let asks = Bool.random(using: &random)
        SSL_key_update(
            client.handle, asks ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
        SSL_do_handshake(client.handle)
        onWay += client.take()
    }

    /// What went wrong.
    private(set) var found: [String] = []

    func problems() throws -> [String] {
        try run()
        return found
    }

    private func expect(_ isRight: Bool, _ problem: String) {
        if !isRight { found.append(problem) }
    }

    private func run() throws {
        for _ in 0..<Int.random(in: 10...60, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: clientWrites()
            case 1: serverWants += bytes(upTo: size)
            case 2: updateKey()
            case 3: serverWrites()
            case 4: serverReads()
            case 5: clientReads()
            case 6, 7: passToServer()
            default: passToClient()
            }
        }
        settle()
        expect(serverReceived == clientSent, "the server read something else")
        expect(clientReceived == serverSent, "the client read something else")
        if Bool.random(using: &random) { try closeByClient() } else { closeByServer() }
    }

    private func settle() {
        for _ in 0..<100_000 {
            passToServer()
            serverReads()
            serverWrites()
            passToClient()
            clientReads()
            if onWay.isEmpty, serverWants.isEmpty, serverReceived.count == clientSent.count,
                clientReceived.count == serverSent.count
            {
                return
            }
        }
        expect(false, "it never settles")
    }

    /// The server goes on sending after the client has closed.
    private func closeByClient() throws {
        SSL_shutdown(client.handle)
        onWay += client.take()
        while !onWay.isEmpty { passToServer() }
        var buffer = [UInt8](repeating: 0, count: 1 << 15)
        var span = buffer.mutableSpan
        var end = server.read(into: &span)
        if end == .wantsRead { end = server.read(into: &span) }
        expect(end == .closed, "close_notify gave \(end)")
        serverWants += bytes(upTo: 60_000)
        for _ in 0..<100_000 where clientReceived.count < serverSent.count || !serverWants.isEmpty {
            serverWrites()
            passToClient()
            clientReads()
        }
        expect(clientReceived == serverSent, "the half that is open lost data")
        closeByServer()
    }

    private func closeByServer() {
        let progress = server.shutdown()
        expect(progress == .done, "shutdown gave \(progress)")
        for _ in 0..<1_000 where SSL_get_shutdown(client.handle) & SSL_RECEIVED_SHUTDOWN == 0 {
            passToClient()
            clientReads()
        }
        let hasClosed = SSL_get_shutdown(client.handle) & SSL_RECEIVED_SHUTDOWN != 0
        expect(hasClosed, "the client got no close_notify")
    }
}

@Suite("Random sessions between OpenSSL's records and ours")
struct RecordSessionTests {
    /// `BELLWIRE_RECORD_SESSIONS` says how many.
    @Test("Both ends read what the other one wrote, however it is cut")
    func random() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["BELLWIRE_RECORD_SESSIONS"].flatMap { UInt64($0) } ?? 60
        let context = try TestCertificate(TestCertificate.localhost).server()
        let start = UInt64.random(in: 0...UInt64.max - count)
        for seed in start..<start + count {
            let problems = try RandomSession(seed: seed, context).problems()
            // The seed is there to run it again.
            #expect(problems.isEmpty, "seed \(seed)")
            if !problems.isEmpty { return }
        }
    }
}
