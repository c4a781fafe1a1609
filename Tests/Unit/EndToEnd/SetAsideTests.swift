#if DEBUG
    import Foundation
    import TestSupport
    import Testing

    /// Test builds of the programs have crash traps.
    @Suite("Inputs that crash the server")
    struct SetAsideTests {
        private let test: SetAsideFixture
        private var home: ServeFixture { test.home }

        init() throws { test = try SetAsideFixture() }

        @Test(
            "A request that crashes it twice, by any signal, gets 503 from then on",
            arguments: ["trap", "abort", "overflow"])
        func request(how: String) throws {
            let server = try test.endured("request:\(how):boom") {
                _ = try test.status($0.baseURL + "/health?boom")
            }
            #expect(try test.status(server.baseURL + "/health?boom") == "503")
            let head = try ServeFixture.output(
                "/usr/bin/curl", ["-si", "-m", "10", server.baseURL + "/health?boom"])
            #expect(head.lowercased().contains("retry-after: "))
            #expect(try test.status(server.baseURL + "/health?bang") == "200")
            #expect(try test.checked("a request"))
        }

        @Test("A push that crashes it twice is refused in any encryption, and others are served")
        func payload() throws {
            let first = try test.start()
            let (bad, good) = (try test.register("bad"), try test.register("good"))
            #expect(first.end() == 0)
            func send(_ to: [String: Any], _ text: String) throws -> Int32 {
                try home.run(["send", "--to", try home.subscription(to), text]).exitCode
            }
            let trap = "payload:trap:boom"
            for _ in 0..<2 {
                let ending = try test.start(trap: trap, port: first.port)
                #expect(try send(bad, "boom") != 0)
                #expect(ending.hasEnded(within: 10))
            }
            let server = try test.start(trap: trap, port: first.port)
            #expect(try send(bad, "boom") == 4, "a later try is worth it")
            #expect(try send(bad, "fine") == 0 && send(good, "fine") == 0)
            #expect(try test.checked("the payload of a push"))
            #expect(server.end() == 0)
        }

        @Test("An account that crashes it twice is kept unserved, and others are served")
        func account() throws {
            let maker = try test.start()
            let (first, second) = (try test.register("bad"), try test.register("good"))
            #expect(maker.end() == 0)
            let server = try test.endured(port: maker.port, "account:trap:\u{01}") { _ in
                _ = try home.run(["account", "list", "telegram/bad"])
            }
            #expect(try home.run(["account", "list", "telegram/bad"]).exitCode == 4)
            #expect(try home.run(["account", "list", "telegram/good"]).exitCode == 0)
            func sent(_ to: [String: Any]) throws -> String {
                let subscription = try home.subscription(to)
                return try home.run(["send", "--to", subscription, "hello"]).output
            }
            #expect(try sent(first).hasPrefix("503 ") && sent(second).hasPrefix("201 "))
            #expect(second["id"] != nil)
            #expect(try test.checked("the engine of an account"))
            #expect(server.end() == 0)
            // Without the trap, as after an update, which tries it again.
            try FileManager.default.removeItem(atPath: home.state + "/set-aside")
            let mended = try test.start()
            #expect(try home.run(["account", "list", "telegram/bad"]).exitCode == 0)
            #expect(mended.end() == 0)
        }

        @Test("A kill from outside at the same input sets nothing aside")
        func killed() throws {
            for _ in 0..<3 {
                let server = try test.start(trap: "request:kill:boom")
                _ = try test.status(server.baseURL + "/health?boom")
                #expect(server.hasEnded(within: 10))
            }
            for _ in 0..<3 {
                let server = try test.start()
                #expect(try test.status(server.baseURL + "/health?boom") == "200")
                server.signal(SIGSEGV)
                #expect(server.hasEnded(within: 10))
            }
            #expect(try !test.checked("a request"))
        }
    }
#endif
