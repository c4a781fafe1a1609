import Base
import Testing

@testable import StatusPage

@Suite("What browsers answer that were asked for a passkey")
struct PasskeyAnswerTests {
    private static let host = Array(repeating: UInt8(7), count: 32)
    private static let point = [UInt8(4)] + (0..<64).map { UInt8($0) }
    private static func terms(_ step: PasskeyAnswer.Step) -> PasskeyAnswer.Terms {
        .init(step, challenge: "abc", origin: "https://push.example", host: host)
    }

    private static func data(
        host: [UInt8] = host, flags: UInt8 = 0x45, made: [UInt8]? = nil
    ) -> [UInt8] {
        host + [flags, 0, 0, 1, 2] + (made ?? Self.made())
    }

    private static func made(
        length: [UInt8] = [0, 3], id: [UInt8] = [1, 2, 3], algorithm: UInt8 = 0x26
    ) -> [UInt8] {
        let head: [UInt8] = [0xA5, 1, 2, 3, algorithm, 0x20, 1, 0x21, 0x58, 0x20]
        return Array(repeating: 0, count: 16) + length + id + head + point[1...32]
            + [0x22, 0x58, 0x20] + point[33...]
    }

    private static func client(
        type: String = "webauthn.create", challenge: String = "abc",
        origin: String = "https://push.example", more: String = #","crossOrigin":false"#
    ) -> [UInt8] {
        Array(
            #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"\#(more)}"#.utf8)
    }

    @Test("A new key is read with its id and its count")
    func reads() throws {
        let answer = try #require(
            PasskeyAnswer(
                authenticator: Self.data(), client: Self.client(), to: Self.terms(.make)))
        let made = try #require(answer.made)
        #expect(made.id == [1, 2, 3] && answer.count == 258)
        #expect(made.key.withSpan { $0.array($0.indices) } == Self.point)
        let used = PasskeyAnswer(
            authenticator: Self.data(flags: 0x05, made: []),
            client: Self.client(type: "webauthn.get"), to: Self.terms(.use))
        #expect(used?.made == nil && used?.count == 258)
    }

    private static let wrongClients: [[UInt8]] = [
        client(type: "webauthn.get"), client(challenge: "xyz"), client(challenge: ""),
        client(origin: "https://push.example:444"), client(origin: "http://push.example"),
        client(more: #","crossOrigin":true"#), Array("{}".utf8), Array("abc".utf8), [],
    ]

    @Test("An answer to something else is none", arguments: wrongClients)
    func others(_ client: [UInt8]) {
        let answer = PasskeyAnswer(
            authenticator: Self.data(), client: client, to: Self.terms(.make))
        #expect(answer == nil)
    }

    private static let wrongData: [[UInt8]] = [
        data(host: Array(repeating: 8, count: 32)), data(flags: 0x41), data(flags: 0x44),
        data(flags: 0x05, made: []), data(made: []), data(made: made(length: [0, 0], id: [])),
        data(made: made(length: [4, 0])), data(made: made(length: [0, 200])),
        data(made: made(algorithm: 0x38)), Array(data().dropLast()), Array(data().prefix(36)), [],
    ]

    @Test(
        "Nobody is let in by a key that is another's, or has not verified its person",
        arguments: wrongData)
    func unverified(_ data: [UInt8]) {
        let answer = PasskeyAnswer(
            authenticator: data, client: Self.client(), to: Self.terms(.make))
        #expect(answer == nil)
    }

    @Test("No cut answer is read past its end")
    func cut() {
        let data = Self.data()
        for length in data.indices {
            let answer = PasskeyAnswer(
                authenticator: Array(data.prefix(length)), client: Self.client(),
                to: Self.terms(.make))
            #expect(answer == nil)
        }
    }
}
