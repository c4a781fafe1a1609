#if DEBUG
    import Foundation
    import TestSupport
    import Testing

    /// With traps that only programs for tests have.
    @Suite("An input on which the server ends")
    struct SetAsideTests {
        private let fixture: ServeFixture

        init() throws { fixture = try ServeFixture() }

        /// The port is a part of every request, so servers after each other have one.
        private func start(trap: String? = nil, port: Int = 0) throws -> ServerProcess {
            var trapped = fixture
            trapped.environment["BELLWIRE_TRAP"] = trap
            return try trapped.start(["--listen", "http://127.0.0.1:\(port)"])
        }

        private func status(_ arguments: String...) throws -> String {
            try ServeFixture.output(
                "/usr/bin/curl",
                ["-s", "-m", "10", "-o", "/dev/null", "-w", "%{http_code}"] + arguments)
        }

        /// Runs servers until one survives the input: how many did not, and the survivor.
        private func endured(
            _ trap: String, _ input: (ServerProcess) throws -> Void
        ) throws -> (ends: Int, server: ServerProcess) {
            var port = 0
            for ends in 0..<5 {
                let server = try start(trap: trap, port: port)
                port = server.port
                try input(server)
                guard server.hasEnded(within: 1) else { return (ends, server) }
            }
            throw CancellationError()
        }

        private func checked(_ what: String) throws -> Bool {
            let outcome = try fixture.run(["check", "--listen", "http://127.0.0.1:0"])
            let isShown = outcome.output.contains("set aside: " + what)
            let json = try ServeFixture.object(
                try fixture.run(["check", "--listen", "http://127.0.0.1:0", "--json"]).output)
            let list = try #require(json["set_aside"] as? [[String: Any]])
            return isShown && list.contains { $0["what"] as? String == what }
        }

        private func register(_ account: String) throws -> [String: Any] {
            let outcome = try fixture.run(
                ["register", "--app", "telegram", "--account", account, "--json"])
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            return try ServeFixture.object(outcome.output)
        }

        @Test(
            "A request ends it twice, by whatever signal, and is answered 503 from then on",
            arguments: ["trap", "abort", "overflow"])
        func request(how: String) throws {
            let (ends, server) = try endured("request:\(how):boom") {
                _ = try status($0.baseURL + "/health?boom")
            }
            #expect(ends == 2)
            #expect(server.hasSaid("event=set-aside"))
            #expect(try status(server.baseURL + "/health?boom") == "503")
            let head = try ServeFixture.output(
                "/usr/bin/curl", ["-si", "-m", "10", server.baseURL + "/health?boom"])
            #expect(head.lowercased().contains("retry-after: "))
            #expect(try status(server.baseURL + "/health?bang") == "200")
            #expect(try checked("a request"))
        }

        @Test("What a push carries ends it twice, however it is encrypted, and others are served")
        func payload() throws {
            let first = try start()
            let (bad, good) = (try register("bad"), try register("good"))
            #expect(first.end() == 0)
            func send(_ to: [String: Any], _ text: String) throws -> Int32 {
                try fixture.run(["send", "--to", try fixture.subscription(to), text]).exitCode
            }
            let trap = "payload:trap:boom"
            for _ in 0..<2 {
                let ending = try start(trap: trap, port: first.port)
                #expect(try send(bad, "boom") != 0)
                #expect(ending.hasEnded(within: 10))
            }
            let server = try start(trap: trap, port: first.port)
            #expect(try send(bad, "boom") == 4, "a later try is worth it")
            #expect(try send(bad, "fine") == 0 && send(good, "fine") == 0)
            #expect(try checked("the payload of a push"))
            #expect(server.end() == 0)
        }

        @Test("What is kept of an account ends it twice; then it is kept, and others are served")
        func account() throws {
            let first = try start()
            _ = try register("bad")
            let second = try register("good")
            #expect(first.end() == 0)
            let (ends, server) = try endured("account:trap:\u{01}") { _ in
                _ = try fixture.run(["chats", "telegram/bad"])
            }
            #expect(ends == 2)
            #expect(try fixture.run(["chats", "telegram/bad"]).exitCode == 4)
            #expect(try fixture.run(["chats", "telegram/good"]).exitCode == 0)
            #expect(second["id"] != nil && server.hasSaid("event=set-aside"))
            #expect(try checked("the engine of an account"))
            #expect(server.end() == 0)
            // Without the mistake, as after an update that tries it again.
            try FileManager.default.removeItem(atPath: fixture.state + "/set-aside")
            let mended = try start()
            #expect(try fixture.run(["chats", "telegram/bad"]).exitCode == 0)
            #expect(mended.end() == 0)
        }

        @Test("Killed from outside at the same input, it sets nothing aside")
        func killed() throws {
            for _ in 0..<3 {
                let server = try start(trap: "request:kill:boom")
                _ = try status(server.baseURL + "/health?boom")
                #expect(server.hasEnded(within: 10))
            }
            for _ in 0..<3 {
                let server = try start()
                #expect(try status(server.baseURL + "/health?boom") == "200")
                server.signal(SIGSEGV)
                #expect(server.hasEnded(within: 10))
            }
            #expect(try !checked("a request"))
        }
    }
#endif
