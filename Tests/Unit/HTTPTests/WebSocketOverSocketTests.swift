import Crypto
import Foundation
import System
import TestSupport
import Testing
@testable import HTTP

@Suite("WebSocket conformance over sockets")
struct WebSocketOverSocketTests {
    @Test("The server on a socket does as the codec does", arguments: ConformanceCase.all)
    func server(testCase: ConformanceCase) throws {
        let fixture = try WebSocketFixture()
        let client = try fixture.client()
        for piece in testCase.pieces(masked: true) { client.send(piece) }
        testCase.expect(client.frames())
        #expect(client.isAtEnd)
    }

    @Test("The server does the same through TLS")
    func encryptedServer() throws {
        let certificate = try temporaryCertificate()
        let fixture = try WebSocketFixture(
            certificates: try CertificateStore(certificate.files))
        let trust = Trust.authorities(try TextFile.read(certificate.authorityPath))
        let context = try TLSContext(client: trust, protocols: [.http1])
        for testCase in ConformanceCase.all.enumerated().filter({ $0.offset % 20 == 0 }) {
            let client = try RawSocket(port: fixture.port)
            try client.encrypt(to: "localhost", context)
            client.send(UpgradeRequest().text)
            #expect(client.head().hasPrefix("HTTP/1.1 101 "))
            for piece in testCase.element.pieces(masked: true) { client.send(piece) }
            testCase.element.expect(client.frames())
            #expect(client.isAtEnd)
        }
    }

    @Test("The client on a socket does as the codec does", arguments: ConformanceCase.all)
    func client(testCase: ConformanceCase) throws {
        let listener = try RawListener()
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/")
        let server = try listener.accept()
        try server.acceptUpgrade()
        for piece in testCase.pieces(masked: false) { server.send(piece) }
        var frames: [ConformanceFrame] = []
        while let (frame, masked) = server.frameAndMask() {
            #expect(masked)
            frames.append(frame)
            if frame.opcode == 8 { break }
        }
        testCase.expect(frames)
        server.shutdownWriting()
        #expect(server.isAtEnd)
        #expect(client.events.next() == .opened(nil))
        guard case .closed = client.events.next() else {
            Issue.record("the end was not told")
            return
        }
    }
}

extension ConformanceCase {
    func expect(_ frames: [ConformanceFrame]) {
        #expect(Array(frames.dropLast()) == expected)
        switch ending {
        case .closed(let code): #expect(frames.last == .close(code))
        case .failed(let codes):
            let code = (frames.last?.payload ?? []).prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
            #expect(frames.last?.opcode == 8 && codes.contains(code))
        }
    }
}
