import Base
import Foundation
import System
import TestSupport
import Testing

@testable import bellwire

/// A program that follows an engine.
private final class Listener: @unchecked Sendable {
    private let process: RunningProcess
    // Unchecked: it is touched by the test's thread alone.
    private var rest = ""

    init(_ program: String, _ arguments: [String], _ environment: [String: String]) throws {
        process = try RunningProcess(
            program, arguments, environment: environment, hasInput: true)
    }

    func say(_ line: String) throws {
        try process.input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The next line; the test's time limit ends the wait.
    func line() -> String {
        while true {
            if let end = rest.firstIndex(of: "\n") {
                defer { rest = String(rest[rest.index(after: end)...]) }
                return String(rest[..<end])
            }
            let data = process.output.availableData
            guard !data.isEmpty else { return "" }
            rest += String(decoding: data, as: UTF8.self)
        }
    }

    /// Skips lines until one contains this text.
    func line(with text: String) -> String {
        while true {
            let line = line()
            if line.isEmpty || line.contains(text) { return line }
        }
    }
}

@Suite("Listening to an engine on the control socket")
struct WatchCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func register(_ account: String = "me") throws -> [String: Any] {
        let outcome = try fixture.run(
            ["register", "--app", "telegram", "--account", account, "--json"])
        return try ServeFixture.object(outcome.output)
    }

    private func push(_ path: String, _ text: String, id: Int) throws {
        let payload =
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","\#(text)"],"custom":{"from_id":"5","msg_id":"\#(id)"}}"#
        #expect(try fixture.run(["send", "--to", path, payload]).exitCode == 0)
    }

    @Test(
        "watch shows new notifications, and continues when the server is back",
        .timeLimit(.minutes(2)))
    func watch() throws {
        var server = try fixture.startInClear()
        let made = try register()
        let path = try fixture.subscription(made)
        let plain = try Listener(Program.path, ["watch"], fixture.environment)
        let json = try Listener(
            Program.path, ["watch", "--json", "--account", "me"], fixture.environment)
        #expect(plain.line() == "telegram/me  0 shown", "it has no name, so it shows all")
        #expect(json.line() == #"{"@type":"updateActiveNotifications","groups":[]}"#)
        try push(path, "one", id: 1)
        #expect(plain.line().hasSuffix("  Ada: one"))
        #expect(json.line(with: "updateNotificationGroup").contains(#""text":"one""#))
        // Notifications shown before a kill are shown after it.
        _ = server.end(by: SIGKILL)
        #expect(plain.line() == "the server is gone; waiting for it")
        server = try fixture.start(["--listen", "http://127.0.0.1:\(server.port)"])
        #expect(plain.line() == "telegram/me  1 shown")
        #expect(plain.line().hasSuffix("  Ada: one"))
        try push(path, "two", id: 2)
        #expect(plain.line().hasSuffix("  Ada: two"))
        _ = try register("you")
        #expect(plain.line() == "telegram/you  0 shown", "also what was made later")
        #expect(server.end() == 0)
    }

    @Test(
        "watch shows all accounts, also new ones, or the one that is named",
        .timeLimit(.minutes(2)))
    func accounts() throws {
        let server = try fixture.startInClear()
        #expect(try fixture.run(["watch"]).errors.contains("there is no registration"))
        let me = try fixture.subscription(try register("me"))
        func hear(_ name: String) throws -> String {
            let outcome = try fixture.run(["topic", "add", name, "--address"])
            #expect(outcome.exitCode == 0 && outcome.output.split(separator: "\n").count == 1)
            return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let builds = try hear("nightly builds")
        let all = try Listener(Program.path, ["watch"], fixture.environment)
        let json = try Listener(Program.path, ["watch", "--json"], fixture.environment)
        let one = try Listener(Program.path, ["watch", "nightly builds"], fixture.environment)
        #expect(one.line() == "0 shown")
        #expect(
            Set([all.line(), all.line()]) == ["telegram/me  0 shown", "nightly builds  0 shown"])
        try push(me, "one", id: 1)
        #expect(all.line().hasSuffix("  Ada: one"))
        #expect(try fixture.curl(["-d", "green", builds]) == " 201")
        let line = all.line()
        #expect(line.hasPrefix("nightly builds  + ") && line.hasSuffix("  green"), "\(line)")
        #expect(one.line().hasSuffix("  green"))
        let object = try ServeFixture.object(json.line(with: "green"))
        #expect(object["account"] as? String == "nightly builds" && object["update"] != nil)
        // More than ten are kept.
        for number in 1...20 {
            #expect(try fixture.curl(["-d", "number \(number)", builds]) == " 201")
        }
        #expect(all.line(with: "number 20").hasPrefix("nightly builds"))
        let later = try Listener(Program.path, ["watch", "nightly builds"], fixture.environment)
        #expect(later.line() == "21 shown")
        _ = try hear("other")
        #expect(all.line(with: "other") == "other  0 shown")
        let unknown = try fixture.run(["watch", "nobody"])
        #expect(unknown.exitCode == 3 && unknown.errors.contains("there is no account nobody"))
        #expect(server.end() == 0)
    }

    @Test("A feed that the engine refuses asks less and less often", .timeLimit(.minutes(1)))
    func refused() throws {
        let path = fixture.home.file("engine")
        let script = """
            import socket
            server = socket.socket(socket.AF_UNIX)
            server.bind("\(path)")
            server.listen()
            print("ready", flush=True)
            for _ in range(4):
                client = server.accept()[0]
                client.recv(100)
                client.send(b'{"@type":"error"}\\n')
                client.close()
            """
        let server = try Listener("/usr/bin/python3", ["-c", script], fixture.environment)
        #expect(server.line() == "ready")
        let loop = try EventLoop()
        var times: [ContinuousClock.Instant] = []
        let account = AccountName(app: "telegram", account: "me")
        let feed = EngineFeed(.unix(path: path), account, on: loop) { event in
            guard case .refused = event else { return }
            times.append(.now)
            if times.count == 4 { loop.drain(within: .zero) }
        }
        feed.connect()
        _ = loop.run()
        // At least half of 1, 2 and 4 seconds; a slow machine only makes it longer.
        #expect(times[3] - times[0] >= .milliseconds(3_400))
    }

    @Test("Output on a terminal has colours, but none from senders", .timeLimit(.minutes(2)))
    func colours() throws {
        let server = try fixture.startInClear()
        let path = try fixture.subscription(try register())
        let watch = try Listener(
            "/usr/bin/script",
            ["-qec", "stty -onlcr; '\(Program.path)' watch me --plain", "/dev/null"],
            fixture.environment)
        #expect(watch.line() == "\u{1B}[2m0 shown\u{1B}[0m")
        try push(path, #"\u001b[2Jone"#, id: 1)
        let line = watch.line()
        #expect(line.hasPrefix("\u{1B}[32m+ ") && line.hasSuffix("one\u{1B}[0m"))
        #expect(line.count { $0 == "\u{1B}" } == 2)
        #expect(server.end() == 0)
    }

    @Test("Requests sent before the engine is open are handled after its first updates")
    func early() throws {
        let server = try fixture.startInClear()
        _ = try register()
        let payload =
            #"{\"loc_key\":\"MESSAGE_TEXT\",\"loc_args\":[\"Ada\",\"x\"],\"custom\":{\"from_id\":\"5\",\"msg_id\":\"1\"}}"#
        let client = try Listener(
            "/usr/bin/python3",
            [
                "-c", Self.requester, fixture.state,
                #"{"@type":"processPushNotification","payload":"\#(payload)"}"#,
            ], fixture.environment)
        #expect(client.line() == "ok")
        #expect(
            client.line() == "ok updateActiveNotifications updateHavePendingNotifications"
                + " updateHavePendingNotifications updateNotificationGroup"
                + " updateHavePendingNotifications ok")
        #expect(server.end() == 0)
    }

    @Test("The WebSocket of an engine is on the control socket as well, without a secret")
    func webSocket() throws {
        let server = try fixture.startInClear()
        _ = try register()
        let client = try Listener(
            "/usr/bin/python3", ["-c", Self.upgrader, fixture.state], fixture.environment)
        #expect(client.line() == "HTTP/1.1 101 Switching Protocols")
        #expect(client.line() == #"{"@type":"updateActiveNotifications","groups":[]}"#)
        #expect(server.end() == 0)
    }

    @Test("The example of a client shows and dismisses", .timeLimit(.minutes(2)))
    func example() throws {
        let server = try fixture.startInClear()
        let path = try fixture.subscription(try register())
        let example = Vectors.checkout.appending(path: "docs/examples/client.py").path
        let client = try Listener(
            "/usr/bin/python3", [example, fixture.state + "/control.sock", "me", "telegram"],
            fixture.environment)
        try push(path, "hello", id: 1)
        let line = client.line()
        #expect(line.hasSuffix(" Ada: hello"))
        let name = String(line.prefix { $0 != " " })
        try client.say(name)
        #expect(client.line() == "gone \(name)")
        let stranger = try Listener(
            "/usr/bin/python3", [example, fixture.state + "/control.sock", "nobody"],
            fixture.environment)
        #expect(stranger.line().hasPrefix("error it does not exist"))
        #expect(server.end() == 0)
    }

    @Test(
        "After a kill the server shows the sum of all updates sent",
        .timeLimit(.minutes(3)))
    func kills() throws {
        var server = try fixture.startInClear()
        let port = server.port
        let path = try fixture.subscription(try register())
        var known: [Int: String] = [:]
        var dismissed: Set<Int> = []
        var (last, number) = (0, 0)
        func take(_ line: String) throws {
            let update = try ServeFixture.object(line)
            let groups = update["groups"] as? [[String: Any]]
            if groups != nil { known = [:] }
            let added =
                groups?.flatMap { $0["notifications"] as? [[String: Any]] ?? [] }
                ?? update["added_notifications"] as? [[String: Any]] ?? []
            for gone in update["removed_notification_ids"] as? [Int] ?? [] { known[gone] = nil }
            for notification in added {
                let id = notification["id"] as? Int ?? 0
                let content = (notification["type"] as? [String: Any])?["content"]
                known[id] = (content as? [String: Any])?["text"] as? String ?? ""
                #expect(!dismissed.contains(id), "what was removed has returned")
            }
        }
        for round in 0..<6 {
            let client = try Listener(
                Program.path, ["watch", "--json", "--account", "me"], fixture.environment)
            try take(client.line())
            for _ in 0...round {
                number += 1
                try push(path, "\(number)", id: number)
                try take(client.line(with: "updateNotificationGroup"))
                let newest = try #require(known.keys.max())
                #expect(newest > last && known[newest] == "\(number)")
                last = newest
            }
            // One is removed before the kill.
            if let oldest = known.keys.min() {
                let request =
                    #"{"@type":"removeNotification","notification_group_id":1,"notification_id":\#(oldest)}"#
                let remover = try Listener(
                    "/usr/bin/python3", ["-c", Self.requester, fixture.state, request],
                    fixture.environment)
                #expect(remover.line() == "ok")
                try take(client.line(with: "updateNotificationGroup"))
                dismissed.insert(oldest)
                #expect(known[oldest] == nil)
            }
            let before = known
            _ = server.end(by: SIGKILL)
            server = try fixture.start(["--listen", "http://127.0.0.1:\(port)"])
            let fresh = try Listener(
                Program.path, ["watch", "--json", "--account", "me"], fixture.environment)
            try take(fresh.line())
            #expect(known == before)
        }
        #expect(server.end() == 0)
    }

    /// Opens the WebSocket, and prints the answer and the first frame.
    private static let upgrader = """
        import socket, sys
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1] + "/control.sock")
        connection.sendall(b"GET /api/v1/engine?account=me HTTP/1.1\\r\\nHost: localhost\\r\\n"
            b"Connection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n")
        stream = connection.makefile("rb")
        print(stream.readline().decode().strip(), flush=True)
        while stream.readline() != b"\\r\\n":
            pass
        print(stream.read(stream.read(2)[1]).decode(), flush=True)
        """

    /// Sends one request at once, and prints the types of the answer and of everything after it.
    private static let requester = """
        import json, socket, sys
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1] + "/control.sock")
        requests = ({"@type": "bellwire.open", "account": "me"},
                    {**json.loads(sys.argv[2]), "@extra": 1})
        connection.sendall(b"".join(json.dumps(one).encode() + b"\\n" for one in requests))
        types = []
        for line in connection.makefile():
            types.append(json.loads(line)["@type"])
            if json.loads(line).get("@extra") == 1:
                print(types[-1], " ".join(types), sep="\\n", flush=True)
                break
        """
}
