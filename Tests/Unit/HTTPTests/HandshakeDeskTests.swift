import Crypto
import Foundation
import TestSupport
import Testing
@testable import HTTP
@testable import System

@Suite("Handshakes of a loop")
struct HandshakeDeskTests {
    private let certificate: DevelopmentCertificate

    init() throws { certificate = try .forTest() }

    private func fixture(
        waiting: Int = 1_024, rest: Duration = .milliseconds(1)
    ) throws -> ServerFixture {
        var limits = HTTPService.Limits()
        // Every handshake takes longer, so a turn has one.
        limits.handshakes = HandshakeLimits(
            all: .nanoseconds(1), each: .nanoseconds(1), waiting: waiting)
        limits.handshakes.rest = rest
        return try ServerFixture(
            limits: limits, certificates: try CertificateStore(certificate.files))
    }

    /// The first bytes of a client.
    private func hello() throws -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw POSIXError(.EMFILE)
        }
        defer { for end in ends { close(end) } }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let authority = try Data(contentsOf: URL(filePath: certificate.authorityPath))
        let context = try TLSContext(client: .authorities(Array(authority)), protocols: [.http1])
        var stream = try TLSStream(connecting: ends[0], to: "localhost", context)
        guard stream.handshake() == .wantsRead else { throw POSIXError(.EPROTO) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(ends[1], &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Connects from that address of this machine.
    private func connect(from source: String, to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        for (name, port) in [(source, 0), ("127.0.0.1", port)] as [(String, UInt16)] {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, name, &address.sin_addr)
            let result = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                    return port == 0
                        ? bind(descriptor, address, length)
                        : Foundation.connect(descriptor, address, length)
                }
            }
            guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
        }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    private func isAnswered(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 1
    }

    private func turns(of fixture: ServerFixture) -> Int {
        let (loop, turns) = (fixture.server.loops[0], Events<Int>())
        loop.post { turns.add(loop.turns) }
        return turns.next() ?? 0
    }

    @Test("A hundred ClientHellos at once take a hundred turns, between which others are served")
    func share() throws {
        let rest = Duration.milliseconds(5)
        let fixture = try fixture(rest: rest)
        let hello = try hello()
        let busy = try EncryptedClient(port: fixture.port, certificate, .http1)
        let before = turns(of: fixture)
        busy.send(Array("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let peers = try (0..<100).map { _ in try connect(from: "127.0.0.1", to: fixture.port) }
        defer { for peer in peers { close(peer) } }
        for peer in peers { _ = send(peer, hello, hello.count, 0) }
        // The loop is no longer busy.
        #expect(isAnswered(peers[0]))
        let start = ContinuousClock.now
        #expect(peers.dropFirst().allSatisfy(isAnswered))
        #expect(ContinuousClock.now - start >= rest * 90)
        #expect(turns(of: fixture) - before >= 100)
        #expect(busy.receive() != nil)
    }

    @Test("If too many wait, those of another address and earlier ones are answered")
    func tooMany() throws {
        let fixture = try fixture(waiting: 8)
        let hello = try hello()
        let busy = try EncryptedClient(port: fixture.port, certificate, .http1)
        busy.send(Array("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let peers = try (0..<60).map { _ in try connect(from: "127.0.0.1", to: fixture.port) }
        let other = try connect(from: "127.0.0.2", to: fixture.port)
        defer { for peer in peers + [other] { close(peer) } }
        for peer in peers + [other] { _ = send(peer, hello, hello.count, 0) }
        let answered = peers.count(where: isAnswered)
        #expect(isAnswered(other))
        #expect((1...peers.count - 20).contains(answered), "\(answered)")
        let turnedAway = fixture.figures.turnedAwayConnections
        #expect(turnedAway.map(\.word) == ["too-many-handshakes"])
        #expect(turnedAway.first?.count == peers.count - answered)
        #expect(busy.receive() != nil)
    }

    @Test("A client that sends nothing more is cut although others wait, and a full one is served")
    func silent() throws {
        var limits = HTTPService.Limits()
        limits.handshake = .milliseconds(300)
        limits.handshakes = HandshakeLimits(all: .nanoseconds(1), each: .nanoseconds(1))
        let fixture = try ServerFixture(
            limits: limits, certificates: try CertificateStore(certificate.files))
        let hello = try hello()
        let peers = try (0..<20).map { _ in try connect(from: "127.0.0.1", to: fixture.port) }
        defer { for peer in peers { close(peer) } }
        for peer in peers { _ = send(peer, hello, hello.count / 2, 0) }
        let client = try EncryptedClient(port: fixture.port, certificate, .http2)
        #expect(peers.allSatisfy { !isAnswered($0) })
        withExtendedLifetime(client) {}
        _ = turns(of: fixture)
        #expect(fixture.figures.count(of: .handshake) == 0)
    }

    @Test("Clients that sent nothing take no turns of others when their time is over")
    func mute() throws {
        var limits = HTTPService.Limits()
        limits.handshake = .milliseconds(300)
        limits.handshakes = HandshakeLimits(all: .nanoseconds(1), each: .nanoseconds(1), waiting: 4)
        let fixture = try ServerFixture(
            limits: limits, certificates: try CertificateStore(certificate.files))
        let peers = try (0..<20).map { _ in try connect(from: "127.0.0.1", to: fixture.port) }
        defer { for peer in peers { close(peer) } }
        #expect(peers.allSatisfy { !isAnswered($0) })
        #expect(fixture.figures.turnedAwayConnections.isEmpty)
    }

    @Test("Nothing of TLS is made before the turn: the certificate is that of the turn")
    func lateBeginning() throws {
        let renewed = try DevelopmentCertificate.forTest()
        let store = try CertificateStore(certificate.files)
        let fixture = try ServerFixture(certificates: store)
        let client = try EncryptedClient(port: fixture.port, renewed, .http1) {
            #expect(hasHandshakes(1, fixture))
            #expect(throws: Never.self) { try store.reload(renewed.files) }
        }
        client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(client.receive() != nil)
    }

    @Test(
        "A peer that is gone while it waits is let go of before its turn",
        arguments: [true, false])
    func gone(isReset: Bool) throws {
        var limits = HTTPService.Limits()
        // No turn has room, so all wait.
        limits.handshakes = HandshakeLimits(all: .zero, each: .zero)
        let fixture = try ServerFixture(
            limits: limits, certificates: try CertificateStore(certificate.files))
        let hello = try hello()
        let peers = try (0..<3).map { _ in try connect(from: "127.0.0.1", to: fixture.port) }
        for peer in peers { _ = send(peer, hello, hello.count, 0) }
        #expect(hasHandshakes(3, fixture))
        for _ in 0..<3 { _ = turns(of: fixture) }
        var reset = linger(l_onoff: isReset ? 1 : 0, l_linger: 0)
        for peer in peers {
            setsockopt(
                peer, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
            close(peer)
        }
        #expect(hasHandshakes(0, fixture))
    }

    private func hasHandshakes(_ count: Int, _ fixture: ServerFixture) -> Bool {
        for _ in 0..<5_000 where fixture.figures.count(of: .handshake) != count { usleep(1_000) }
        return fixture.figures.count(of: .handshake) == count
    }
}
