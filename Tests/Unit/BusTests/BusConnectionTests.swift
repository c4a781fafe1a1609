import Foundation
import System
import TestSupport
import Testing
@testable import Bus

@Suite("A connection to a message bus")
struct BusConnectionTests {
    static let service = "org.bellwire.Test"

    static var samples: [BusValue] {
        [
            .byte(255), .boolean(true), .int16(-2), .uint16(65_535), .int32(.min), .uint32(.max),
            .int64(.min), .uint64(.max), .double(-0.5), .string("grüße\n"), .string(""),
            .objectPath("/a/b"), .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]),
            .strings(["a", "", "c"]), .strings([]), .options([]),
            .options([("number", .uint32(1)), ("bytes", .bytes([9])), ("list", .strings(["x"]))]),
            .structure([
                .int32(1), .int32(2), .int32(8), .boolean(true), .int32(8), .int32(4),
                .bytes([1, 2]),
            ]),
            .array("(su)", [.structure([.string("a"), .uint32(1)])]),
            .array("a{ss}", [.array("{ss}", [.entry(.string("k"), .string("v"))])]),
            .variant(.variant(.array("v", [.variant(.byte(1))]))),
        ]
    }

    @Test("Every kind of value passes through the bus and back", arguments: samples)
    func values(value: BusValue) throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        let echo = Echo(type: value.signature)
        let export = try server.export(echo, at: "/echo")
        var answer: BusReply?
        server.requestName(Self.service) { _ in
            client.call(Echo.call("Echo", to: Self.service, [value])) {
                answer = $0
                fixture.loop.stop()
            }
        }
        fixture.run()
        #expect(try answer?.get() == [value])
        #expect(echo.calls.first?.sender.hasPrefix(":1.") == true)
        export.end()
    }

    @Test("An unknown member of an object is refused by name")
    func refusals() throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        let echo = Echo(type: "s")
        let export = try server.export(echo, at: "/echo")
        var names: [String?] = []
        let calls = [
            Echo.call("Echo", to: Self.service, [.uint32(1)]),
            Echo.call("Ekko", to: Self.service, []),
            Echo.call("Echo", to: Self.service, [.string("")], interface: "org.bellwire.Other"),
            Echo.call("Echo", to: Self.service, [.string("")], path: "/other"),
            Echo.call("Echo", to: "org.bellwire.Nobody", [.string("")]),
        ]
        server.requestName(Self.service) { _ in
            for call in calls {
                client.call(call) { reply in
                    if case .failure(let failure) = reply { names.append(failure.name) }
                    if names.count == calls.count { fixture.loop.stop() }
                }
            }
        }
        fixture.run()
        #expect(
            Set(names) == [
                BusErrorName.invalidArguments, BusErrorName.unknownMethod,
                BusErrorName.unknownInterface, BusErrorName.unknownObject,
                BusErrorName.serviceUnknown,
            ])
        #expect(echo.calls.isEmpty)
        export.end()
    }

    @Test("Other tools can introspect an object and read its properties")
    func introspection() async throws {
        let fixture = try BusFixture()
        let server = try fixture.connect()
        let echo = Echo(type: "s")
        let export = try server.export(echo, at: "/echo")
        let address = try #require(fixture.bus?.address)
        var claim: NameClaim?
        server.requestName(Self.service) { result in claim = try? result.get() }
        let loop = fixture.loop
        let output = Lock<[String]>([])
        let thread = Thread {
            for arguments in [
                ["introspect", Self.service, "/echo"],
                ["get-property", Self.service, "/echo", Echo.name, "Volume"],
                ["call", Self.service, "/echo", "org.freedesktop.DBus.Peer", "Ping"],
            ] {
                let text = (try? Self.busctl(address, arguments)) ?? "failed"
                output.withLock { $0.append(text) }
            }
            loop.stop()
        }
        fixture.after(.milliseconds(200)) { thread.start() }
        fixture.run()
        let texts = output.withLock { $0 }
        #expect(claim == .owned)
        #expect(texts.first?.contains("org.bellwire.Echo") == true)
        #expect(texts.first?.contains(".Rang") == true)
        #expect(texts.dropFirst().first == "u 7\n")
        #expect(texts.last == "")
        export.end()
    }

    @Test("A reply may come later, and one that never comes is a timeout")
    func replies() throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        let echo = Echo(type: "s")
        echo.answer = { call in
            guard call.arguments != [.string("never")] else { return }
            fixture.after(.milliseconds(50)) { call.reply(call.arguments) }
        }
        let export = try server.export(echo, at: "/echo")
        var replies: [BusReply] = []
        server.requestName(Self.service) { _ in
            for text in ["never", "late"] {
                client.call(
                    Echo.call("Echo", to: Self.service, [.string(text)]),
                    timeout: .milliseconds(200)
                ) {
                    replies.append($0)
                    if replies.count == 2 { fixture.loop.stop() }
                }
            }
        }
        fixture.run()
        #expect(replies.first == .success([.string("late")]))
        guard case .failure(let failure)? = replies.last else {
            Issue.record("it did not time out")
            return
        }
        #expect(failure.isTimeout)
        export.end()
    }

    @Test("A peer that leaves without an answer is no timeout")
    func vanished() throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        let echo = Echo(type: "s")
        echo.answer = { _ in server.close() }
        let export = try server.export(echo, at: "/echo")
        var reply: BusReply?
        server.requestName(Self.service) { _ in
            client.call(Echo.call("Echo", to: Self.service, [.string("")])) {
                reply = $0
                fixture.loop.stop()
            }
        }
        fixture.run()
        guard case .failure(let failure)? = reply else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.name == BusErrorName.noReply)
        #expect(!failure.isTimeout)
        export.end()
    }

    @Test("Names have one owner, and changes of it are reported")
    func names() throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        var changes: [String] = []
        var claims: [NameClaim?] = []
        // The two connections may be notified in either order.
        func leaveWhenBothKnow() {
            if changes.count == 1, claims.count == 1 { server.close() }
        }
        let watch = try client.watchOwner(of: Self.service) { old, new in
            changes.append("\(old != nil)-\(new != nil)")
            if changes.count == 2 { fixture.loop.stop() } else { leaveWhenBothKnow() }
        }
        var owner: String??
        client.owner(of: Self.service) {
            owner = try? $0.get()
            server.requestName(Self.service) {
                claims.append(try? $0.get())
                leaveWhenBothKnow()
            }
        }
        fixture.run()
        #expect(changes == ["false-true", "true-false"])
        #expect(claims == [.owned])
        #expect(owner == .some(nil))
        watch.end()
    }

    @Test("A taken name stays with its owner, and the other requester does not queue")
    func taken() throws {
        let fixture = try BusFixture()
        let (first, second) = (try fixture.connect(), try fixture.connect())
        var claims: [NameClaim?] = []
        var heirs: [String?] = []
        let watch = try second.watchOwner(of: Self.service) { _, new in
            guard claims.count == 2 else { return }
            heirs.append(new)
            fixture.loop.stop()
        }
        first.requestName(Self.service) { result in
            claims.append(try? result.get())
            second.requestName(Self.service) { result in
                claims.append(try? result.get())
                first.close()
            }
        }
        fixture.run()
        #expect(claims == [.owned, .taken])
        #expect(heirs == [nil])
        watch.end()
    }

    @Test("Signals are delivered until the subscription ends")
    func signals() throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        var heard: [String] = []
        var subscription: BusSubscription?
        subscription = try client.listen(for: BusRule(interface: Echo.name, member: "Rang")) {
            heard.append($0.arguments.first?.text ?? "")
            subscription?.end()
        }
        client.names { _ in
            for bell in ["one", "two"] {
                try? server.emit(
                    path: "/echo", interface: Echo.name, member: "Rang", [.string(bell)])
            }
            fixture.after(.milliseconds(200)) { fixture.loop.stop() }
        }
        fixture.run()
        #expect(heard == ["one"])
        // Retained by its closure.
        subscription = nil
    }

    @Test("When the bus goes away, waiting calls fail and the end is reported once")
    func gone() throws {
        let fixture = try BusFixture()
        var told: [String] = []
        let server = try fixture.connect()
        let client = try fixture.connect { _ in
            told.append("ended")
            fixture.after(.milliseconds(100)) { fixture.loop.stop() }
        }
        let echo = Echo(type: "s")
        echo.answer = { _ in fixture.bus?.stop() }
        let export = try server.export(echo, at: "/echo")
        server.requestName(Self.service) { _ in
            client.call(Echo.call("Echo", to: Self.service, [.string("")])) { reply in
                if case .failure = reply { told.append("failed") }
            }
        }
        fixture.run()
        #expect(told == ["failed", "ended"])
        #expect(!client.isOpen)
        export.end()
    }

    @Test("The bus knows who is behind a connection")
    func credentials() throws {
        let fixture = try BusFixture()
        let connection = try fixture.connect()
        var credentials: BusCredentials?
        connection.credentials(of: BusConnection.driver) { _ in }
        connection.requestName(Self.service) { _ in
            connection.credentials(of: Self.service) {
                credentials = try? $0.get()
                fixture.loop.stop()
            }
        }
        fixture.run()
        #expect(credentials?.process == getpid())
        #expect(credentials?.user == getuid())
    }

    @Test("A text with a NUL is refused instead of truncated")
    func nul() throws {
        let fixture = try BusFixture()
        let connection = try fixture.connect()
        #expect(throws: BusError.self) {
            try connection.emit(
                path: "/echo", interface: Echo.name, member: "Rang", [.string("a\0b")])
        }
        var reply: BusReply?
        connection.call(Echo.call("Echo", to: "no name", [.string("")])) {
            reply = $0
            fixture.loop.stop()
        }
        #expect(reply == nil)
        fixture.run()
        #expect(reply != nil)
    }

    @Test("A message of very many values is refused")
    func flood() throws {
        let fixture = try BusFixture()
        let (server, client) = (try fixture.connect(), try fixture.connect())
        let echo = Echo(type: "as")
        let export = try server.export(echo, at: "/echo")
        var reply: BusReply?
        server.requestName(Self.service) { _ in
            let many = BusValue.strings([String](repeating: "", count: 70_000))
            client.call(Echo.call("Echo", to: Self.service, [many])) {
                reply = $0
                fixture.loop.stop()
            }
        }
        fixture.run()
        guard case .failure(let failure)? = reply else {
            Issue.record("it was taken")
            return
        }
        #expect(failure.name == BusErrorName.limitsExceeded)
        #expect(echo.calls.isEmpty)
        export.end()
    }

    private static func busctl(_ address: String, _ arguments: [String]) throws -> String {
        try RunningProcess("/usr/bin/busctl", ["--address=\(address)"] + arguments).text()
    }
}
