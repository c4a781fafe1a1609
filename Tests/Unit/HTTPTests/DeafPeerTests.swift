import Crypto
import Foundation
import TestSupport
import Testing
@testable import HTTP
@testable import System

@Suite("Peers that send and do not read")
struct DeafPeerTests {
    private let certificate: DevelopmentCertificate
    /// A second client, whose requests must still be answered.
    private static let requests = 200
    private static let request = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    init() throws { certificate = try .forTest() }

    private func fixture() throws -> ServerFixture {
        try ServerFixture(certificates: try CertificateStore(certificate.files))
    }

    private func deafClient(
        of fixture: ServerFixture, _ speech: DeafSpeech = .http1
    ) throws -> RawSocket {
        try deafClient(RawSocket(port: fixture.port, receiveBuffer: 4_096), speech)
    }

    private func deafClient(_ client: RawSocket, _ speech: DeafSpeech) throws -> RawSocket {
        let authority = try Data(contentsOf: URL(filePath: certificate.authorityPath))
        try client.encrypt(
            to: "localhost",
            try TLSContext(
                client: .authorities(Array(authority)), protocols: [speech.applicationProtocol]))
        try speech.begin(client)
        return client
    }

    /// How often the loop turns while that client makes `requests` requests, one after the other.
    private func turns(of fixture: ServerFixture) throws -> Int {
        let client = try EncryptedClient(port: fixture.port, certificate, .http1)
        func ask() throws {
            client.send(Self.request)
            _ = try #require(client.receive())
        }
        try ask()
        let before = count(on: fixture)
        for _ in 0..<Self.requests { try ask() }
        return count(on: fixture) - before
    }

    private func count(on fixture: ServerFixture) -> Int {
        let (loop, turns) = (fixture.server.loops[0], Events<Int>())
        loop.post { turns.add(loop.turns) }
        return turns.next() ?? 0
    }

    @Test(
        "A peer that keeps asking for new keys costs no turns of the loop",
        arguments: DeafSpeech.allCases)
    func keyUpdates(_ speech: DeafSpeech) throws {
        let fixture = try fixture()
        let deaf = try deafClient(of: fixture, speech)
        deaf.send(speech.beginning)
        for _ in 0..<150_000 {
            deaf.updateKeys()
            if !deaf.send([71]) { break }
        }
        #expect(try turns(of: fixture) < 2 * Self.requests)
    }

    @Test("Five megabytes of key updates from one peer delay nobody else")
    func neighbour() throws {
        let fixture = try fixture()
        let deaf = try deafClient(of: fixture)
        var bytes = deaf.keyUpdates(bytes: 5_000_000)[...]
        let client = try EncryptedClient(port: fixture.port, certificate, .http1)
        client.send(Self.request)
        _ = try #require(client.receive())
        var longest = Duration.zero
        for _ in 0..<Self.requests {
            let sent = deaf.push(bytes)
            if sent > 0 { bytes = bytes.dropFirst(sent) }
            let start = ContinuousClock.now
            client.send(Self.request)
            _ = try #require(client.receive())
            longest = max(longest, ContinuousClock.now - start)
        }
        // Reading it all takes more than a second.
        #expect(longest < .milliseconds(250))
    }

    @Test("A connection that is cut for a flood is counted by its kind")
    func counted() throws {
        let fixture = try fixture()
        let deaf = try deafClient(of: fixture)
        deaf.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n")
        for _ in 0..<500 {
            deaf.updateKeys()
            if !deaf.send([71]) { break }
        }
        while deaf.next() != nil {}
        let bitwise = try RawSocket(port: fixture.port)
        let greeting: [UInt8] = [1, 1, 0x86, 0xA0] + [UInt8](repeating: 3, count: 20_000)
        bitwise.send(greeting.flatMap { [22, 3, 1, 0, 1, $0] })
        while bitwise.next() != nil {}
        let pinging = try EncryptedClient(port: fixture.port, certificate, .http2)
        let ping = HTTP2Wire.frame(0x6, [UInt8](repeating: 0, count: 8))
        pinging.send(HTTP2Wire.opening + Array(repeating: ping, count: 200).flatMap { $0 })
        _ = try #require(pinging.readToEnd())
        let kinds = fixture.figures.floodKinds
        #expect(kinds.map(\.word) == ["handshake-records", "key-updates", "pings"])
        #expect(kinds.map(\.count) == [1, 1, 1])
    }

    @Test("The last answer arrives whole, although its slow reader still sends records")
    func lastAnswer() throws {
        let fixture = try fixture()
        let deadline = ContinuousClock.now + .seconds(5)
        func wait(for connections: Int) {
            while fixture.figures.count(of: .http1) != connections, ContinuousClock.now < deadline {
                sched_yield()
            }
        }
        let slow = try deafClient(of: fixture)
        wait(for: 1)
        slow.send("GET /big/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        // Until all of it is in the server's socket, and the server has done with the connection.
        wait(for: 0)
        #expect(fixture.figures.count(of: .http1) == 0)
        slow.updateKeys()
        slow.send([71])
        var count = 0
        while let bytes = slow.next() { count += bytes.count }
        #expect(count > 100_000)
    }

    /// A Unix socket accepts a record as a whole or not at all: with one answer more or less before
    /// it, the key update is the record that does not fit.
    @Test(
        "A peer whose answer finds no room in the socket delays nobody else", arguments: [0, 1],
        DeafSpeech.allCases)
    func owed(further: Int, _ speech: DeafSpeech) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let fixture = try ServerFixture(
            certificates: try CertificateStore(certificate.files), path: path)
        let deaf = try deafClient(RawSocket(path: path), speech)
        var asked = 0
        while asked < 300 + further {
            if asked >= 200 + further { deaf.updateKeys() }
            asked += 1
            guard ask(deaf, speech.request(asked)) else { break }
        }
        #expect(asked < 300)
        // There was no room for the last answer. This one stays unread, or finds no room either.
        for _ in 0..<2 {
            asked += 1
            deaf.send(speech.request(asked))
        }
        #expect(try turns(of: fixture) < 2 * Self.requests)
        guard speech == .http1 else { return }
        // It is answered once there is room.
        var answers = 0
        while answers < 200, let bytes = deaf.next() {
            let text = String(decoding: bytes, as: UTF8.self)
            answers += text.components(separatedBy: "200 OK").count - 1
        }
        #expect(answers == 200)
    }

    /// Whether an answer arrives; it is left unread.
    private func ask(_ client: RawSocket, _ request: [UInt8]) -> Bool {
        let before = client.waitingBytes
        client.send(request)
        let deadline = ContinuousClock.now + .milliseconds(500)
        while client.waitingBytes == before {
            guard ContinuousClock.now < deadline else { return false }
            sched_yield()
        }
        return true
    }
}
