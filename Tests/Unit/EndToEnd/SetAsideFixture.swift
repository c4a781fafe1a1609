#if DEBUG
    import Foundation
    import TestSupport
    import Testing

    /// Servers with a crash trap, one after the other, in one home folder.
    struct SetAsideFixture {
        let home: ServeFixture

        init() throws { home = try ServeFixture() }

        /// Requests contain the port, so all servers use the same one.
        func start(trap: String? = nil, port: Int = 0) throws -> ServerProcess {
            var trapped = home
            trapped.environment["BELLWIRE_TRAP"] = trap
            return try trapped.start(["--listen", "http://127.0.0.1:\(port)"])
        }

        func status(_ arguments: String...) throws -> String {
            try ServeFixture.output(
                "/usr/bin/curl",
                ["-s", "-m", "10", "-o", "/dev/null", "-w", "%{http_code}"] + arguments)
        }

        /// Lets two servers crash on the input. Returns the third one, which has the trap as well.
        func endured(
            port: Int = 0, _ trap: String, _ input: (ServerProcess) throws -> Void
        ) throws -> ServerProcess {
            var port = port
            for _ in 0..<2 {
                do {
                    let server = try start(trap: trap, port: port)
                    port = server.port
                    try input(server)
                    #expect(server.hasEnded(within: 20))
                } catch is ServerProcess.NotReady {
                    // It crashed on what was due before it could print anything.
                }
            }
            let server = try start(trap: trap, port: port)
            try input(server)
            #expect(server.hasSaid("event=set-aside"))
            return server
        }

        func checked(_ what: String) throws -> Bool {
            let outcome = try home.run(["check", "--listen", "http://127.0.0.1:0"])
            let isShown = outcome.output.contains("set aside: " + what)
            let json = try ServeFixture.object(
                try home.run(["check", "--listen", "http://127.0.0.1:0", "--json"]).output)
            let list = try #require(json["set_aside"] as? [[String: Any]])
            return isShown && list.contains { $0["what"] as? String == what }
        }

        func register(_ account: String) throws -> [String: Any] {
            let outcome = try home.run(
                ["register", "--app", "telegram", "--account", account, "--json"])
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            return try ServeFixture.object(outcome.output)
        }
    }
#endif
