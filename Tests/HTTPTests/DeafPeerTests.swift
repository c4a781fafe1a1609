import Foundation
import TLS
import TestSupport
import Testing

@testable import HTTP
@testable import Reactor

@Suite("Peers that send and do not read")
struct DeafPeerTests {
    private let certificate: DevelopmentCertificate
    /// What somebody else asks meanwhile.
    private static let requests = 200
    private static let request = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    init() throws { certificate = try .forTest() }

    private func fixture() throws -> ServerFixture {
        try ServerFixture(certificates: try CertificateStore(certificate.files))
    }

    private func deafClient(of fixture: ServerFixture) throws -> RawSocket {
        try deafClient(RawSocket(port: fixture.port, receiveBuffer: 4_096))
    }

    private func deafClient(_ client: RawSocket) throws -> RawSocket {
        let authority = try Data(contentsOf: URL(filePath: certificate.authorityPath))
        try client.encrypt(
            to: "localhost",
            try TLSContext(client: .authorities(Array(authority)), protocols: [.http1]))
        return client
    }

    /// How often the loop turns while somebody is answered `requests` times, one after the other.
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

    @Test("One who asks and asks for other keys costs no turn of the loop")
    func keyUpdates() throws {
        let fixture = try fixture()
        let deaf = try deafClient(of: fixture)
        for _ in 0..<150_000 {
            deaf.updateKeys()
            if !deaf.send([71]) { break }
        }
        #expect(try turns(of: fixture) < 2 * Self.requests)
    }

    @Test("A connection that is cut for a flood is counted by its kind")
    func counted() throws {
        let fixture = try fixture()
        let deaf = try deafClient(of: fixture)
        for _ in 0..<500 {
            deaf.updateKeys()
            if !deaf.send([71]) { break }
        }
        while deaf.next() != nil {}
        let pinging = try EncryptedClient(port: fixture.port, certificate, .http2)
        let ping = HTTP2Wire.frame(0x6, [UInt8](repeating: 0, count: 8))
        pinging.send(HTTP2Wire.opening + Array(repeating: ping, count: 200).flatMap { $0 })
        _ = try #require(pinging.readToEnd())
        #expect(fixture.figures.floodKinds.map(\.word) == ["key-updates", "pings"])
        #expect(fixture.figures.floodKinds.map(\.count) == [1, 1])
    }

    /// On a Unix socket a record finds room as a whole or not at all: with one answer more or less
    /// before it, it is the change of the keys that finds none.
    @Test("Nor does one to whom an answer is owed that finds no room", arguments: [0, 1])
    func owed(further: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let fixture = try ServerFixture(
            certificates: try CertificateStore(certificate.files), path: path)
        let deaf = try deafClient(RawSocket(path: path))
        for index in 0..<300 + further {
            if index >= 200 + further { deaf.updateKeys() }
            guard ask(deaf) else { break }
        }
        // There was no room for the last answer. This stays unread, or finds none either.
        deaf.send(Self.request)
        deaf.send(Self.request)
        #expect(try turns(of: fixture) < 2 * Self.requests)
        // And is answered when there is room.
        var answers = 0
        while answers < 200, let bytes = deaf.next() {
            let text = String(decoding: bytes, as: UTF8.self)
            answers += text.components(separatedBy: "200 OK").count - 1
        }
        #expect(answers == 200)
    }

    /// Whether an answer arrives, which is left unread.
    private func ask(_ client: RawSocket) -> Bool {
        let before = client.waitingBytes
        client.send(Self.request)
        let deadline = ContinuousClock.now + .milliseconds(500)
        while client.waitingBytes == before {
            guard ContinuousClock.now < deadline else { return false }
            sched_yield()
        }
        return true
    }
}
