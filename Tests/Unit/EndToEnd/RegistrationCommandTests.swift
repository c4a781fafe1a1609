import Foundation
import TestSupport
import Testing

@Suite("bellwire register and registration")
struct RegistrationCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func register(_ options: String...) throws -> [String: Any] {
        let outcome = try fixture.run(
            ["register", "--app", "telegram", "--account", "me", "--json"] + options)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try ServeFixture.object(outcome.output)
    }

    private func send(_ path: String, _ rest: String...) throws -> Int32 {
        try fixture.run(["send", "--to", path] + rest).exitCode
    }

    private func control(_ arguments: String...) throws -> String {
        try ServeFixture.output(
            "/usr/bin/curl",
            ["-sS", "-m", "10", "--unix-socket", fixture.state + "/control.sock"] + arguments)
    }

    private func payloads(_ id: String) throws -> [String] {
        let answer = try ServeFixture.object(
            try control("http://localhost/api/v1/pending?registration=\(id)"))
        return (answer["messages"] as? [[String: Any]] ?? []).map { message in
            var text = message["payload"] as? String ?? ""
            text = text.replacing("-", with: "+").replacing("_", with: "/")
            while text.count % 4 != 0 { text += "=" }
            return String(decoding: Data(base64Encoded: text) ?? Data(), as: UTF8.self)
        }
    }

    @Test("list and show say whose unencrypted pushes are trusted")
    func trust() throws {
        let server = try fixture.startInClear()
        let made = try register("--clear", "yes", "--trust-clear")
        let id = try #require(made["id"] as? String)
        #expect(try fixture.run(["registration", "list"]).output.hasSuffix("  trusts clear\n"))
        #expect(
            try fixture.run(["registration", "show", id]).output.contains(
                "in clear          trusted: "))
        let refused = try fixture.run(
            ["register", "--app", "telegram", "--account", "you", "--trust-clear"])
        #expect(refused.exitCode != 0 && refused.errors.contains("trust_clear needs clear as well"))
        #expect(server.end() == 0)
    }

    @Test("A registration is made, listed, shown, rotated and revoked")
    func life() throws {
        let server = try fixture.startInClear()
        let made = try register("--user-id", "777")
        let id = try #require(made["id"] as? String)
        #expect(
            try fixture.run(["registration", "list"]).output.hasPrefix(
                "\(id)  telegram  me  type 10  until "))
        let path = try fixture.subscription(made)
        #expect(try send(path, "hello") == 0 && send(path, "--encoding", "aesgcm", "old") == 0)
        #expect(try payloads(id) == ["hello", "old"])
        _ = try ServeFixture.output(
            "/usr/bin/curl", ["-sS", "-d", "clear", made["endpoint"] as? String ?? ""])
        let shown = try fixture.run(["registration", "show", id])
        #expect(shown.output.contains("undecryptable     1 not-encrypted\n"))
        #expect(shown.output.contains("push receiver id  777\n"))
        #expect(server.hasSaid("event=undecryptable registration=\(id) reason=not-encrypted"))

        let rotated = try ServeFixture.object(
            try fixture.run(["registration", "rotate", id, "--json"]).output)
        #expect(
            rotated["id"] as? String == id
                && rotated["endpoint"] as? String != made["endpoint"] as? String)
        #expect(try send(path, "to the former endpoint") == 0)
        #expect(try send(try fixture.subscription(rotated), "to the new one") == 0)
        #expect(try payloads(id).suffix(2) == ["to the former endpoint", "to the new one"])

        #expect(try fixture.run(["registration", "revoke", id]).output == "revoked \(id)\n")
        #expect(try send(path, "x") == 3)
        #expect(try fixture.run(["registration", "revoke", id]).exitCode == 3)
        #expect(try fixture.run(["registration", "list"]).output.hasPrefix("no registrations"))
        #expect(!server.errors.contains("hello") && !server.errors.contains("whsec_"))
        _ = server.end()
        let again = try fixture.startInClear()
        // The port is another one now, but the endpoint's path is gone.
        let endpoint = try #require(URL(string: made["endpoint"] as? String ?? ""))
        let status = try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PUT",
                "http://127.0.0.1:\(again.port)\(endpoint.path)",
            ])
        #expect(status == "410")
        #expect(again.end() == 0)
    }

    @Test("register prints what the application needs; show prints no secret")
    func text() throws {
        let server = try fixture.startInClear()
        let outcome = try fixture.run([
            "register", "--app", "telegram", "--account", "me", "--secret", "new", "--callback",
            "https://app.example/x",
        ])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let id = lines[0].split(separator: " ")[1].dropLast()
        let token = try ServeFixture.object(lines[2])
        let secret = try #require(lines.firstIndex(of: "secret:").map { lines[$0 + 1] })
        let webhook = try #require(lines.last)
        #expect(secret.count == 342 && webhook.hasPrefix("whsec_"))
        let keys = token["keys"] as? [String: String] ?? [:]
        let list = try fixture.run(["registration", "list", "--json"]).output
        let shown = try fixture.run(["registration", "show", String(id)]).output
        for hidden in [secret, webhook, keys["auth"] ?? "", keys["p256dh"] ?? ""] {
            #expect(!hidden.isEmpty)
            #expect(!list.contains(hidden) && !shown.contains(hidden))
            #expect(!server.errors.contains(hidden) && !server.output.contains(hidden))
        }
        let endpoint = token["endpoint"] as? String ?? ""
        #expect(!endpoint.isEmpty && !server.errors.contains(endpoint.suffix(38)))
        #expect(server.end() == 0)
    }

    @Test("Type 4 only signals, and each option reaches the server")
    func options() throws {
        let server = try fixture.startInClear()
        let made = try register(
            "--type", "4", "--ttl", "60", "--expires", "3600", "--service", "org.example.App",
            "--other-user-id", "5", "--other-user-id", "6", "--dialect", "telegram", "--clear",
            "yes", "--notify-mode", "sendOnlyOne", "--session-timeout", "60", "--app-id", "x",
            "--presentation", #"{"sound":"ding"}"#)
        #expect(made["keys"] == nil)
        let parameters = made["register_device"] as? [String: Any]
        #expect(parameters?["other_uids"] as? [Int] == [5, 6])
        let shown = try fixture.run(["registration", "show", try #require(made["id"] as? String)])
            .output
        #expect(shown.contains("application       org.example.App\n"), "\(shown)")
        for wrong in [
            ["--type", "x"], ["--type", "9"], ["--clear", "maybe"], ["--presentation", "x"],
            ["--secret", "mine"], ["--dialect", "french"], ["--expires", "1"],
        ] {
            let outcome = try fixture.run(["register", "--app", "a", "--account", "b"] + wrong)
            #expect([2, 3].contains(outcome.exitCode), "\(wrong)")
        }
        #expect(try fixture.run(["register", "--app", "a"]).exitCode == 2)
        #expect(try fixture.run(["registration", "show", "../devices"]).exitCode == 3)
        #expect(server.end() == 0)
    }

    @Test("A registration answered with 201 survives a kill")
    func killed() throws {
        let server = try fixture.startInClear()
        let made = try register()
        let id = try #require(made["id"] as? String)
        let path = try fixture.subscription(made)
        for number in 0..<5 { #expect(try send(path, "\(number)") == 0) }
        let gone = try register()
        let goneID = try #require(gone["id"] as? String)
        #expect(try fixture.run(["registration", "revoke", goneID]).exitCode == 0)
        _ = server.end(by: SIGKILL)
        let again = try fixture.startInClear()
        #expect(try payloads(id) == (0..<5).map(String.init))
        #expect(try fixture.run(["registration", "show", goneID]).exitCode == 3)
        #expect(again.end() == 0)
    }

    @Test("Another user sees and changes only its own registrations")
    func otherUsers() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers("http://127.0.0.1:0")
        let ours = try register("--state", folder)
        let id = try #require(ours["id"] as? String)
        func asUser(_ arguments: String...) throws -> String {
            try fixture.runAsUser(arguments, folder)
        }
        #expect(try asUser("registration", "list").hasPrefix("no registrations"))
        #expect(try asUser("registration", "show", id).contains("belongs to somebody else"))
        #expect(try asUser("registration", "revoke", id).contains("belongs to somebody else"))
        #expect(try asUser("keys", "rotate-master").contains("this user has no rights here"))
        _ = try asUser("register", "--app", "his", "--account", "x")
        #expect(try asUser("registration", "list").contains("  his  "))
        let all = try fixture.run(["registration", "list", "--state", folder]).output
        #expect(all.contains("  his  ") && all.contains(id))
        #expect(server.end() == 0)
    }
}

@Suite("bellwire keys rotate-master")
struct RotateMasterTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private var keys: String { fixture.state + "/keys" }
    private var formerPath: String { keys + "/master-former.json" }
    private func key() throws -> Data { try Data(contentsOf: URL(filePath: keys + "/master.json")) }

    @Test("Everything is sealed again while the server runs, and the old key is deleted")
    func rotation() throws {
        let server = try fixture.startInClear()
        let register = ["register", "--app", "telegram", "--account", "me"]
        #expect(try fixture.run(register).exitCode == 0)
        let former = try key()
        let outcome = try fixture.run(["keys", "rotate-master", "--json"])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(server.hasSaid("event=store-resealed"))
        #expect(try key() != former && !FileManager.default.fileExists(atPath: formerPath))
        #expect(try fixture.run(["registration", "list"]).output.contains("telegram"))
        #expect(server.end() == 0)
        let again = try fixture.startInClear()
        #expect(try fixture.run(["registration", "list"]).output.contains("telegram"))
        #expect(again.end() == 0)
        // The former key no longer opens anything.
        try former.write(to: URL(filePath: keys + "/master.json"))
        #expect(throws: ServerProcess.NotReady.self) { _ = try fixture.startInClear() }
    }

    @Test("Killed at any moment of a rotation, the server restarts without loss")
    func killed() throws {
        var server = try fixture.startInClear()
        for number in 0..<20 {
            let register = ["register", "--app", "telegram", "--account", "\(number)"]
            #expect(try fixture.run(register).exitCode == 0)
        }
        for _ in 0..<6 {
            // The command would wait for the end of the rotation.
            let answer = try fixture.curl([
                "-X", "POST", "--unix-socket", fixture.state + "/control.sock",
                "http://localhost/api/v1/master-key",
            ])
            #expect(answer.hasSuffix(" 202"), "\(answer)")
            _ = server.end(by: SIGKILL)
            server = try fixture.startInClear()
            let list = try fixture.run(["registration", "list"]).output
            #expect(list.split(separator: "\n").count == 20)
            // The next rotation needs this one finished.
            try awaitEnd()
        }
        #expect(server.end() == 0)
    }

    @Test("A start between any two steps of a rotation finds the right keys")
    func everyStep() throws {
        let server = try fixture.startInClear()
        #expect(
            try fixture.run(["register", "--app", "telegram", "--account", "me"]).exitCode == 0)
        #expect(server.end() == 0)
        let current = try key()
        // The key was copied; the new one was not made yet.
        try write(current, formerPath)
        try startAndList()
        // The new key exists; nothing is sealed under it yet.
        try write(current, formerPath)
        try FileManager.default.removeItem(atPath: keys + "/master.json")
        _ = try Program.run(["keys", "new", "master", keys + "/master.json"])
        try startAndList()
        try startAndList()
    }

    private func write(_ key: Data, _ path: String) throws {
        try key.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func startAndList() throws {
        let server = try fixture.startInClear()
        #expect(try fixture.run(["registration", "list"]).output.contains("telegram"))
        try awaitEnd()
        #expect(server.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: formerPath))
    }

    /// A running server finishes an interrupted rotation.
    private func awaitEnd() throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while FileManager.default.fileExists(atPath: formerPath), Date() < deadline {
            _ = try fixture.run(["registration", "list"])
        }
    }
}
