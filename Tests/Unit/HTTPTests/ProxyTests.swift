import Base
import System
import Testing
@testable import HTTP

@Suite("Clients behind proxies")
struct ProxyTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        signature + [0x20 | command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)]
            + rest
    }

    private static let v4: [UInt8] = [192, 0, 2, 7, 127, 0, 0, 1, 0x1F, 0x90, 0x01, 0xBB]
    private static let v6 =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        + [UInt8](repeating: 0, count: 15) + [1] + [0x1F, 0x90, 0x01, 0xBB]

    static let headers: [([UInt8], String?)] = [
        (Array("PROXY TCP4 192.0.2.7 127.0.0.1 8080 443\r\n".utf8), "192.0.2.7:8080"),
        (Array("PROXY TCP6 2001:db8::1 ::1 8080 443\r\n".utf8), "[2001:db8::1]:8080"),
        (Array("PROXY TCP6 ::ffff:192.0.2.7 ::1 8080 443\r\n".utf8), "192.0.2.7:8080"),
        (Array("PROXY UNKNOWN\r\n".utf8), nil),
        (Array("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".utf8), nil),
        (binary(1, 0x11, v4), "192.0.2.7:8080"),
        (binary(1, 0x21, v6), "[2001:db8::1]:8080"),
        (binary(1, 0x11, v4 + [3, 0, 4, 1, 2, 3, 4]), "192.0.2.7:8080"),
        (binary(0, 0, []), nil),
        (binary(1, 0x31, [UInt8](repeating: 0, count: 216)), nil),
    ]

    @Test("A header is read exactly to its last byte, in pieces of any size")
    func reads() {
        for (header, expected) in Self.headers {
            for size in [1, 3, 11, 12, 15, 16, 17, header.count, header.count + 5] {
                var reader = ProxyHeader()
                let all = header + Array("GET /".utf8)
                var position = 0
                var progress = ProxyHeader.Progress.needsMore
                while progress == .needsMore, position < all.count {
                    let end = min(position + size, all.count)
                    let taken: Int
                    (taken, progress) = reader.next(all.span.extracting(position..<end))
                    #expect(progress != .needsMore || taken == end - position)
                    position += taken
                }
                #expect(position == header.count)
                #expect(progress == .client(expected.flatMap { SocketAddress($0) }))
            }
        }
    }

    static let malformed: [[UInt8]] =
        [
            "GET / HTTP/1.1\r\n", "PROXY TCP4 192.0.2.7 127.0.0.1 8080\r\n", "PROXY\r\n      ",
            "PROXY TCP4 a b 1 2\r\n", "PROXY TCP4 192.0.2.7 127.0.0.1 8080 443\n",
            "PROXY TCP4 192.0.2.7 127.0.0.1 70000 443\r\n",
            "PROXY TCP4 192.0.2.7 127.0.0.1 +1 443\r\n",
            "PROXY TCP4 192.0.2.7 127.0.0.1 8080 +1\r\n",
            "PROXY TCP4 192.0.2.7 127.0.0.1 8080 \r\n", "PROXY TCP4 ::1 127.0.0.1 1 2\r\n",
            "PROXY TCP4 192.0.2.7 ::1 1 2\r\n", "PROXY TCP6 192.0.2.7 ::1 1 2\r\n",
            "PROXY TCP6 ::1 127.0.0.1 1 2\r\n", "PROXY TCP6 ::1 a 1 2\r\n",
            "PROXY TCP4 " + String(repeating: "1", count: 200),
        ].map { Array($0.utf8) } + [
            signature + [0x10, 0, 0, 0], signature + [0x22, 0, 0, 0],
            signature + [0x21, 0x11, 0xFF, 0xFF], binary(1, 0x11, [1, 2, 3]),
            binary(1, 0x21, v4), Array(signature.prefix(5)) + [1],
        ]

    @Test("Anything but a header is malformed", arguments: Self.malformed)
    func refuses(header: [UInt8]) {
        var reader = ProxyHeader()
        #expect(reader.next(header.span).1 == .malformed)
    }

    @Test("A listener that expects a header takes the client from it", arguments: [false, true])
    func listener(isInPieces: Bool) throws {
        let proxy = try #require(IPAddress("127.0.0.1"))
        let inner = try #require(IPAddress("192.0.2.7"))
        let fixture = try ServerFixture(
            terms: HTTPListenerTerms(usesProxyProtocol: true, trustedProxies: [proxy, inner]))
        let client = try RawClient(port: fixture.port)
        let request = "GET /client HTTP/1.1\r\nHost: a\r\n"
        let bytes =
            "PROXY TCP4 192.0.2.7 127.0.0.1 8080 443\r\n" + request + "\r\n" + request
            + "X-Forwarded-For: 203.0.113.9, 198.51.100.1\r\n\r\n"
        if isInPieces {
            for byte in bytes { client.send(String(byte)) }
        } else {
            client.send(bytes)
        }
        let answers = client.read(until: "198.51.100.1")
        #expect(answers.contains("\r\n\r\n192.0.2.7HTTP/1.1 200"))
        #expect(answers.hasSuffix("\r\n\r\n198.51.100.1"))
    }

    @Test("A connection without a header is not served")
    func withoutHeader() throws {
        let fixture = try ServerFixture(terms: HTTPListenerTerms(usesProxyProtocol: true))
        let client = try RawClient(port: fixture.port)
        client.send("GET /client HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.read() == "")
    }

    @Test("A listener without trusted proxies ignores X-Forwarded-For")
    func undeclared() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        client.send("GET /client HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n")
        #expect(client.read(until: "127.0.0.1").hasSuffix("\r\n\r\n127.0.0.1"))
    }

    private func client(_ forwarded: String?, trusted: [String] = ["10.0.0.1", "10.0.0.2"])
        -> String
    {
        let trusted = trusted.compactMap { IPAddress($0) }
        let peer = IPAddress("10.0.0.1")
        let found = ClientAddress.client(
            peer: peer, isPeerTrusted: trusted.contains { $0 == peer }, trusted: trusted,
            forwardedFor: forwarded.map { Array($0.utf8) })
        return found.map(\.description) ?? "none"
    }

    @Test("The client is the first address from the right that is not a trusted proxy")
    func forwardedFor() {
        #expect(client(nil) == "10.0.0.1")
        #expect(client("192.0.2.7") == "192.0.2.7")
        #expect(client("198.51.100.1, 192.0.2.7") == "192.0.2.7")
        #expect(client("198.51.100.1, 192.0.2.7 , 10.0.0.2") == "192.0.2.7")
        #expect(client("192.0.2.7:4711") == "192.0.2.7")
        #expect(client("[2001:db8::1]:4711") == "2001:db8::1")
        #expect(client("10.0.0.2") == "10.0.0.2")
    }

    @Test("Untrusted proxies and invalid addresses are ignored")
    func notTrusted() {
        #expect(client("192.0.2.7", trusted: ["10.0.0.2"]) == "10.0.0.1")
        #expect(client("192.0.2.7", trusted: []) == "10.0.0.1")
        #expect(client("192.0.2.7, unknown") == "10.0.0.1")
        #expect(client("192.0.2.7, unknown, 10.0.0.2") == "10.0.0.2")
        #expect(client("") == "10.0.0.1")
    }
}
