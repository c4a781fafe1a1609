import Bus
import Testing
import WebPush

@testable import Desktop

@Suite("Arguments of applications")
struct RegistrationArgumentsTests {
    private static func second(_ members: [(String, BusValue)]) -> RegistrationArguments? {
        RegistrationArguments(options: .options(members))
    }

    @Test("Both generations are understood, with any printable token")
    func good() throws {
        let token = "{6f2b6a3e-5a0b-4f0c-9a51-0a2f0a8a4c11}"
        let first = try #require(
            RegistrationArguments([.string("org.example.App"), .string(token), .string("One")]))
        #expect(first.version == .one)
        #expect(first.token == token)
        let second = try #require(
            Self.second([
                ("service", .string("org.example.App")), ("token", .string(token)),
                ("vapid", .string(Stage.key)), ("unheard-of", .uint32(1)),
            ]))
        #expect(second.version == .two)
        #expect(second.description == "")
        #expect(second.applicationKey?.text == Stage.key)
    }

    static let rejected: [[(String, BusValue)]] = [
        [],
        [("service", .string("org.example.App"))],
        [("token", .string("token"))],
        [("service", .string("")), ("token", .string("token"))],
        [("service", .string("org.example.App")), ("token", .string(""))],
        [("service", .string("org.example.App")), ("token", .uint32(1))],
        [("service", .string("a")), ("token", .string(String(repeating: "t", count: 101)))],
        [("service", .string("a")), ("token", .string("two\nlines"))],
        [("service", .string("a")), ("token", .string("\u{202E}nekot"))],
        [("service", .string(String(repeating: "s", count: 256))), ("token", .string("t"))],
        [
            ("service", .string("a")), ("token", .string("t")),
            ("description", .string(String(repeating: "ü", count: 51))),
        ],
        [("service", .string("a")), ("token", .string("t")), ("description", .uint32(1))],
        [("service", .string("a")), ("token", .string("t")), ("vapid", .string(""))],
        [("service", .string("a")), ("token", .string("t")), ("vapid", .uint32(1))],
        [
            ("service", .string("a")), ("token", .string("t")),
            ("vapid", .string(String(Stage.key.dropLast()))),
        ],
        [
            ("service", .string("a")), ("token", .string("t")),
            ("vapid", .string("A" + Stage.key.dropFirst())),
        ],
        [
            ("service", .string("a")), ("token", .string("t")),
            ("vapid", .string(Stage.key.replacing("-", with: "+"))),
        ],
    ]

    @Test(
        "Missing, long or mistyped arguments are refused",
        arguments: rejected.indices)
    func bad(index: Int) {
        #expect(Self.second(Self.rejected[index]) == nil)
    }

    @Test("The limits themselves are allowed")
    func limits() {
        let members: [(String, BusValue)] = [
            ("service", .string(String(repeating: "s", count: 255))),
            ("token", .string(String(repeating: "t", count: 100))),
            ("description", .string(String(repeating: "ü", count: 50))),
        ]
        #expect(Self.second(members) != nil)
    }

    @Test("Only a confirmation in the first generation has no token")
    func spelling() {
        func call(
            _ content: ConnectorCall.Content, _ version: ConnectorVersion
        ) -> BusMethodCall {
            ConnectorCall(
                destination: ":1.1", token: "t", content: content, version: version,
                path: "/", startsService: false
            ).message
        }
        let confirmation = ConnectorCall.Content.unregistered(isConfirmation: true)
        let notice = ConnectorCall.Content.unregistered(isConfirmation: false)
        #expect(call(confirmation, .one).arguments == [.string("")])
        #expect(call(notice, .one).arguments == [.string("t")])
        #expect(call(confirmation, .two).arguments == [.options([("token", .string("t"))])])
        #expect(
            call(.message([1], id: "x"), .one).arguments == [
                .string("t"), .bytes([1]), .string("x"),
            ])
        #expect(
            call(.message([1], id: ""), .two).arguments == [
                .options([("token", .string("t")), ("message", .bytes([1]))])
            ])
        #expect(call(.endpoint("u"), .two).interface == "org.unifiedpush.Connector2")
        #expect(call(.endpoint("u"), .one).member == "NewEndpoint")
    }

    @Test(
        "Errors of calls are distinguished by their meaning",
        arguments: [
            ("org.freedesktop.DBus.Error.ServiceUnknown", "unreachable"),
            ("org.freedesktop.DBus.Error.NoReply", "unreachable"),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", "unreachable"),
            ("org.freedesktop.DBus.Error.TimedOut", "unreachable"),
            ("org.freedesktop.DBus.Error.UnknownObject", "unsupported"),
            ("org.freedesktop.DBus.Error.UnknownMethod", "unsupported"),
            ("org.freedesktop.DBus.Error.InvalidArgs", "refused"),
            ("org.example.Broken", "failed"),
        ])
    func errors(name: String, kind: String) {
        let word =
            switch ConnectorOutcome(.failure(BusFailure(name: name))) {
            case .taken: "taken"
            case .unreachable: "unreachable"
            case .unsupported: "unsupported"
            case .refused: "refused"
            case .failed: "failed"
            }
        #expect(word == kind)
        #expect(ConnectorOutcome(.success([])) == .taken)
    }

    @Test("A sandboxed application may only name itself")
    func sandbox() {
        let text = "[Application]\nname=org.example.App\nruntime=x\n[Instance]\nname=other\n"
        let sandbox = SandboxLookup.flatpak(text)
        #expect(sandbox == .application("org.example.App"))
        #expect(sandbox.allows("org.example.App"))
        #expect(sandbox.allows("org.example.App.Agent"))
        #expect(!sandbox.allows("org.example.Application"))
        #expect(!sandbox.allows("org.example.Other"))
        #expect(SandboxLookup.flatpak("[Instance]\nname=org.example.App\n") == .unknown)
        #expect(SandboxLookup.flatpak("") == .unknown)
        #expect(Sandbox.none.allows("org.example.Other"))
    }

    @Test(
        "A snap is one sandbox, unless it is in complain mode",
        arguments: [
            ("snap.chat.chat (enforce)", Sandbox.snap("snap.chat")),
            ("snap.chat.daemon (enforce)\n", .snap("snap.chat")),
            ("snap.chat.hook.configure (enforce)", .snap("snap.chat")),
            ("snap.chat_two.chat//child (enforce)", .snap("snap.chat_two")),
            ("snap.code.code (complain)", .none), ("unconfined", .none), ("", .none),
            ("snapd (enforce)", .none), ("/usr/bin/snap.chat (enforce)", .none),
        ])
    func snap(label: String, expected: Sandbox) {
        #expect(SandboxLookup.snap(label) == expected)
        #expect(expected.speaksForItself == (expected != .none))
        #expect(expected.allows("org.example.Chat"))
    }
}
