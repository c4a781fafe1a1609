import Foundation
import TestSupport
import Testing

@testable import bellwire

@Suite("The receiver steps of bellwire test")
struct ReceiverTestTests {
    private static let base = "https://push.example"
    private static let endpoint = base + "/wpush/v2/x"

    /// There is a tenth of a second between two events.
    private func results(_ events: [ReceiverTest.Event]) -> [HopResult] {
        var test = ReceiverTest(baseURL: Self.base)
        for (index, event) in events.enumerated() {
            _ = test.handle(event, now: .milliseconds(100 * index))
        }
        return test.results
    }

    private static let start: [ReceiverTest.Event] = [
        .opened, .hello(userAgent: "u"), .registered(endpoint: endpoint),
    ]
    private static let delivered =
        start + [.received(version: "1", isOurs: true), .answered(status: 201)]
    private static let stored =
        delivered + [.answered(status: 201), .opened, .hello(userAgent: "u")]

    @Test("All steps pass in either order of answer and message")
    func wholeWay() {
        for isAnsweredFirst in [true, false] {
            var test = ReceiverTest(baseURL: Self.base)
            var middle: [ReceiverTest.Event] = [
                .received(version: "1", isOurs: true), .answered(status: 201),
            ]
            if isAnsweredFirst { middle.reverse() }
            let events =
                Self.start + middle + [
                    .answered(status: 201), .opened, .hello(userAgent: "u"),
                    .received(version: "2", isOurs: true), .unregistered, .answered(status: 410),
                ]
            let actions = events.flatMap { test.handle($0, now: .zero) }
            #expect(test.results.allSatisfy { $0.isPassed == true })
            #expect(Set(test.results.map(\.hop)).count == 8)
            let store: [ReceiverTest.Action] = [.disconnect, .push(to: Self.endpoint)]
            let acknowledgement = ReceiverTest.Action.acknowledge(version: "1")
            #expect(
                actions == [.hello(userAgent: nil), .register, .push(to: Self.endpoint)]
                    + (isAnsweredFirst ? [acknowledgement] + store : [acknowledgement] + store)
                    + [
                        .connect, .hello(userAgent: "u"), .acknowledge(version: "2"), .unregister,
                        .push(to: Self.endpoint), .finish,
                    ])
        }
    }

    @Test("The failed step is named", arguments: 0..<stops.count)
    func stop(at index: Int) throws {
        let (events, hop) = Self.stops[index]
        let last = try #require(results(events).last)
        #expect(last.hop == hop && last.isPassed == false && last.advice != nil)
        #expect(results(events).dropLast().allSatisfy { $0.isPassed == true })
    }

    private static let stops: [([ReceiverTest.Event], Hop)] = [
        ([.timedOut], .link),
        ([.opened, .timedOut], .link),
        ([.opened, .hello(userAgent: "u"), .refused(status: 500)], .endpoint),
        (
            [
                .opened, .hello(userAgent: "u"),
                .registered(endpoint: "https://push.example.org/wpush/v2/x"),
            ], .endpoint
        ),
        (start + [.answered(status: 502)], .push),
        (start + [.unanswered("no route")], .push),
        (start + [.timedOut], .push),
        (start + [.answered(status: 201), .timedOut], .delivery),
        (start + [.received(version: "1", isOurs: false)], .delivery),
        (delivered + [.answered(status: 503)], .push),
        (delivered + [.answered(status: 201), .opened, .hello(userAgent: "v")], .redelivery),
        (stored + [.timedOut], .redelivery),
        (stored + [.received(version: "2", isOurs: false)], .redelivery),
        (
            stored + [
                .received(version: "2", isOurs: true), .unregistered, .answered(status: 201),
            ],
            .end
        ),
    ]

    @Test("A late message was buffered by a proxy")
    func buffered() {
        var test = ReceiverTest(baseURL: Self.base)
        for event in Self.start + [.answered(status: 201)] { _ = test.handle(event, now: .zero) }
        _ = test.handle(.received(version: "1", isOurs: true), now: .seconds(2))
        #expect(test.results.last?.hop == .delivery && test.results.last?.isPassed == false)
    }

    @Test("It passes against a running server and cleans up")
    func running() throws {
        let fixture = try ServeFixture()
        let server = try fixture.start()
        let outcome = try fixture.run(["test", "--json"])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 10)
        #expect(try fixture.run(["device", "list", "--json"]).output.contains(#""devices":[]"#))
        #expect(server.end() == 0)
        let stopped = try fixture.run(["test"])
        #expect(stopped.exitCode == 4 && stopped.output.isEmpty)
    }

    @Test("A session with a bus and without a desktop service needs no screen")
    func noDesktop() throws {
        let bus = try PrivateBus()
        var fixture = try ServeFixture()
        let server = try fixture.startInClear()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let outcome = try fixture.run(["test"])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("skip  D-Bus") && !outcome.output.contains("screen  "))
        #expect(server.end() == 0)
    }

    @Test("Right after deploy/run it needs no options, and says what to try next")
    func first() throws {
        let fixture = try ServeFixture()
        let checkout = fixture.home.file("checkout")
        try FileManager.default.createDirectory(
            atPath: checkout + "/Keys", withIntermediateDirectories: true)
        let server = try fixture.start(["--listen", "127.0.0.1:0", "--checkout", checkout])
        let outcome = try fixture.run(["test"])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 15 && lines[0].hasPrefix("pass  DNS"))
        // There is no session here, so the test does not say that everything works.
        let next = lines.drop { !$0.hasPrefix("what is here works") }.dropFirst()
        let commands = next.filter { $0.hasPrefix("  ") }.map { $0.dropFirst(2) }
        #expect(commands.count == 3 && next.last?.contains("docs/recipes") == true)
        // Each of them can be typed.
        let script = "set -e; cd '\(fixture.home.path)'; export PATH='\(folder)':$PATH"
        let said = try ServeFixture.output(
            "/usr/bin/env",
            ["HOME=" + fixture.home.path, "XDG_STATE_HOME=", "/bin/sh", "-c"]
                + [([script] + commands.map(String.init)).joined(separator: "\n")])
        #expect(said.contains("builds is heard at this address"), "\(said)")
        #expect(said.contains("device laptop may connect"), "\(said)")
        #expect(server.end() == 0)
    }

    private var folder: String {
        URL(filePath: Program.path).deletingLastPathComponent().path
    }

    @Test("Elsewhere it takes the address of a device, as the file receivers does")
    func elsewhere() throws {
        let fixture = try ServeFixture()
        let server = try fixture.start()
        let added = try ServeFixture.object(
            fixture.run(["device", "add", "laptop", "--json"]).output)
        let websocket = try #require(added["websocket"] as? String)
        let page = try #require(added["url"] as? String)
        // This home has no server.
        let laptop = try ServeFixture()
        let trust = ["--ca-file", fixture.authority]
        for address in [websocket, page, server.baseURL, "wss://localhost:\(server.port)/"] {
            let outcome = try laptop.run(["test", "--url", address] + trust)
            #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("\n  bellwire desktop "))
        }
        let receivers = laptop.home.file(".config/bellwire/receivers")
        try FileManager.default.createDirectory(
            atPath: laptop.home.file(".config/bellwire"), withIntermediateDirectories: true)
        try "# mine\n\(page) telegram/me\n".write(
            toFile: receivers, atomically: true, encoding: .utf8)
        chmod(receivers, 0o600)
        let outcome = try laptop.run(["test", "--json"] + trust)
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
        // A named state folder means a server on this machine.
        #expect(try laptop.run(["test", "--state", laptop.state] + trust).exitCode == 4)
        for wrong in ["http://push.example/u/SECRET", "push.example", "ftp://push.example"] {
            let refused = try laptop.run(["test", "--url", wrong])
            #expect(refused.exitCode == 2 && refused.errors.contains("bellwire device add"))
        }
        #expect(server.end() == 0)
    }
}
