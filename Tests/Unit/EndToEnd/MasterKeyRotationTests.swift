import Foundation
import TestSupport
import Testing

@Suite("Master key rotation under kills")
struct MasterKeyRotationTests {
    private static let kills = 40
    private static let pushes = 150

    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func control(_ path: String, _ arguments: [String] = []) throws -> String {
        try ServeFixture.output(
            "/usr/bin/curl",
            ["-sS", "-m", "10", "--unix-socket", fixture.state + "/control.sock"] + arguments
                + ["http://localhost/api/v1/" + path])
    }

    private func register(_ account: String, _ options: [String]) throws -> [String: Any] {
        let outcome = try fixture.run(
            ["register", "--app", "test", "--account", account, "--json"] + options)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try ServeFixture.object(outcome.output)
    }

    /// How many pushes and accounts can be unsealed.
    private func opened(_ id: String) throws -> (pushes: Int, accounts: Int) {
        let pending = try ServeFixture.object(try control("pending?registration=" + id))
        let messages = try #require(pending["messages"] as? [[String: Any]])
        let chats = try ServeFixture.object(try fixture.run(["account", "list", "--json"]).output)
        let accounts = try #require(chats["accounts"] as? [[String: Any]])
        return (messages.count { $0["payload"] as? String != nil }, accounts.count)
    }

    @Test("After a kill during a rotation all rows can be unsealed")
    func kills() throws {
        var server = try fixture.startInClear()
        let made = try register("icq", ["--dialect", "icq", "--clear", "yes"])
        for number in 0..<10 { _ = try register("other \(number)", []) }
        let id = try #require(made["id"] as? String)
        let endpoint = try #require(made["endpoint"] as? String)
        var requests: [String] = ["-sS"]
        for number in 0..<Self.pushes {
            if number > 0 { requests.append("--next") }
            requests += ["-o", "/dev/null", "-H", "TTL: 86400", "-d", "clear \(number)", endpoint]
        }
        _ = try ServeFixture.output("/usr/bin/curl", requests)
        let whole = try opened(id)
        #expect(whole == (Self.pushes, 11))
        var generator = SeededGenerator(seed: 5)
        var rotations = 0
        for kill in 0..<Self.kills {
            let asking = try RunningProcess(
                "/usr/bin/curl",
                [
                    "-s", "-m", "10", "-X", "POST", "-o", "/dev/null", "-w", "%{http_code}",
                    "--unix-socket", fixture.state + "/control.sock",
                    "http://localhost/api/v1/master-key",
                ])
            // Half of the kills come at any moment, the other half in a rotation that was begun,
            // however slow the machine is.
            let answer = kill.isMultiple(of: 2) ? nil : try asking.text()
            usleep(.random(in: 2_000..<60_000, using: &generator))
            _ = server.end(by: SIGKILL)
            if try (answer ?? asking.text()) == "202" { rotations += 1 }
            server = try fixture.startInClear()
            #expect(try opened(id) == whole)
        }
        #expect(rotations >= Self.kills / 2, "\(rotations) rotations were begun")
        // The last rotation finishes and leaves no old keys.
        let keys = fixture.state + "/keys/"
        let end = ContinuousClock.now + .seconds(20)
        while FileManager.default.fileExists(atPath: keys + "master-former.json") {
            try #require(ContinuousClock.now < end)
            usleep(20_000)
        }
        #expect(FileManager.default.fileExists(atPath: keys + "master.json"))
        #expect(server.end() == 0)
    }
}
