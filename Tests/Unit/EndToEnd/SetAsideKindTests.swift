#if DEBUG
    import Foundation
    import HookSupport
    import TestSupport
    import Testing

    /// Test builds of the programs have crash traps.
    @Suite("Inputs other than HTTP requests that crash the server")
    struct SetAsideKindTests {
        private let test: SetAsideFixture
        private var home: ServeFixture { test.home }

        init() throws { test = try SetAsideFixture() }

        private static let channel = "5f0a9a10-1f0e-4f4f-8f6a-2f1f5a0c0d01"

        /// Sends lines, prints this many messages, and disconnects.
        private func heard(_ count: Int, at place: String, _ lines: [String]) throws -> [String] {
            try ServeFixture.output(
                "/usr/bin/python3", ["-c", Self.peer, place, "\(count)"] + lines
            ).split(separator: "\n").map(String.init)
        }

        /// A user agent at a port, or a client of an engine at the control socket.
        private static let peer = """
            import socket, sys
            place, count, *lines = sys.argv[1:]
            isAgent = place.isdigit()
            s = socket.socket(socket.AF_INET if isAgent else socket.AF_UNIX)
            s.settimeout(10)
            s.connect(("127.0.0.1", int(place)) if isAgent else place)
            f = s.makefile("rb")
            def heard():
                if not isAgent: return f.readline().strip()
                head = f.read(2)
                if len(head) < 2 or head[0] != 0x81: return b""
                return f.read(head[1] if head[1] < 126 else int.from_bytes(f.read(2), "big"))
            try:
                if isAgent:
                    s.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: Upgrade\\r\\n"
                        b"Upgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: "
                        b"dGhlIHNhbXBsZSBub25jZQ==\\r\\nSec-WebSocket-Protocol: push-notification"
                        b"\\r\\n\\r\\n")
                    while f.readline() not in (b"\\r\\n", b""): pass
                for line in map(str.encode, lines):
                    size = bytes([0x80 | len(line)]) if len(line) < 126 else (
                        b"\\xfe" + len(line).to_bytes(2, "big"))
                    s.sendall(b"\\x81" + size + bytes(4) + line if isAgent else line + b"\\n")
                for _ in range(int(count)):
                    text = heard()
                    if not text: break
                    print(text.decode(), flush=True)
            except OSError: pass
            """

        private func hello(_ uaid: String = "", _ extra: String = "") -> String {
            #"{"messageType":"hello","use_webpush":true,"uaid":"\#(uaid)","x":"\#(extra)"}"#
        }

        /// What a peer sends and finally receives; the message contains a unique word.
        struct Words: Sendable, CustomTestStringConvertible {
            let kind: String
            let name: String
            /// The refusal after the input was set aside; nil if the connection is closed.
            let refusal: String?
            var testDescription: String { kind }
        }

        private func last(_ words: Words, _ word: String, _ server: ServerProcess) throws -> String?
        {
            guard words.kind == "command" else {
                return try heard(1, at: "\(server.port)", [hello("", word)]).last
            }
            // `ok` for the first line, the state of the account, and the answer.
            return try heard(
                20, at: home.state + "/control.sock",
                [
                    #"{"@type":"bellwire.open","account":"me"}"#,
                    #"{"@type":"getOption","name":"\#(word)","@extra":"\#(word)"}"#,
                    #"{"@type":"close"}"#,
                ]
            ).last { $0.contains(word) || $0.contains("503") }
        }

        @Test(
            "A WebSocket message that crashes it twice is refused, and others are served",
            arguments: [
                Words(kind: "frame", name: "a message from a user agent", refusal: nil),
                Words(kind: "command", name: "a request to an engine", refusal: "503"),
            ])
        func said(words: Words) throws {
            let maker = try test.start()
            _ = try test.register("me")
            #expect(maker.end() == 0)
            let server = try test.endured("\(words.kind):trap:boom") {
                _ = try last(words, "boom", $0)
            }
            let refused = try last(words, "boom", server)
            if let refusal = words.refusal {
                #expect(refused?.contains(refusal) == true, "\(refused ?? "nothing")")
            } else {
                #expect(refused == nil)
            }
            let served = try #require(try last(words, "fine", server))
            #expect(!served.contains("503"), "\(served)")
            #expect(try test.checked(words.name))
            #expect(server.end() == 0)
        }

        @Test("A waiting message that crashes it twice is kept, and others are delivered")
        func message() throws {
            let maker = try test.start()
            let made = try heard(
                2, at: "\(maker.port)",
                [hello(), #"{"messageType":"register","channelID":"\#(Self.channel)"}"#]
            ).map(ServeFixture.object)
            let uaid = try #require(made.first?["uaid"] as? String)
            let endpoint = try #require(made.last?["pushEndpoint"] as? String)
            func push(_ text: String) throws {
                let answer = try test.status(
                    endpoint, "-H", "TTL: 600", "-H", "Content-Encoding: aes128gcm", "-d", text)
                #expect(answer == "201")
            }
            try push("bad")
            #expect(maker.end() == 0)
            var times = 0
            let server = try test.endured(port: maker.port, "message:trap:") {
                times += 1
                // A client that leaves after the hello may be gone before its page is read.
                _ = try heard(times < 3 ? 2 : 1, at: "\($0.port)", [hello(uaid)])
            }
            #expect(try test.checked("a waiting message"))
            #expect(server.end() == 0)
            // Other messages would hit the same trap.
            let other = try test.start(port: maker.port)
            try push("good")
            let delivered = try heard(2, at: "\(other.port)", [hello(uaid)])
            #expect(delivered.count == 2 && delivered.last?.contains("Z29vZA") == true)
            #expect(other.end() == 0)
            try FileManager.default.removeItem(atPath: home.state + "/set-aside")
            let mended = try test.start(port: maker.port)
            let kept = try heard(3, at: "\(mended.port)", [hello(uaid)])
            #expect(kept.count == 3 && kept.contains { $0.contains("YmFk") })
            #expect(mended.end() == 0)
        }

        @Test("A registration that crashes it twice when due stays and still gets pushes")
        func registration() throws {
            let hook = try HookServer()
            var made: [String: Any] = [:]
            let server = try test.endured("registration:trap:") { server in
                if made.isEmpty {
                    let outcome = try home.run([
                        "register", "--app", "icq", "--account", "me", "--json", "--callback",
                        "http://127.0.0.1:\(hook.port)/hook", "--session-timeout", "1",
                    ])
                    made = try ServeFixture.object(outcome.output)
                }
            }
            #expect(try test.checked("a registration"))
            let id = try #require(made["id"] as? String)
            #expect(try home.run(["registration", "list"]).output.contains(id))
            let sent = try home.run([
                "send", "--to", try home.subscription(made), #"{"text":"hello"}"#,
            ])
            #expect(sent.exitCode == 0, "\(sent.errors)")
            #expect(server.end() == 0)
            // Without the trap it ends on time as usual.
            try FileManager.default.removeItem(atPath: home.state + "/set-aside")
            let mended = try test.start(port: server.port)
            #expect(try home.run(["registration", "list"]).output.contains(id))
            #expect(mended.end() == 0)
        }
    }
#endif
