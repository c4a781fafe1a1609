import Foundation
import HookSupport
import TestSupport
import Testing

@Suite("bellwire restore")
struct RestoreCommandTests {
    private let backup: BackupFixture
    private var fixture: ServeFixture { backup.fixture }

    init() throws { backup = try BackupFixture() }

    @Test("Endpoints answer as before, messages come again with their ids, devices are confirmed")
    func story() throws {
        let server = try fixture.startInClear()
        let device = try ServeFixture.object(try backup.run("device", "add", "desk", "--json"))
        let bearer = try #require(device["bearer"] as? String)
        let made = try backup.register("me")
        let (id, endpoint) = (
            try #require(made["id"] as? String), try #require(made["endpoint"] as? String)
        )
        for number in 0..<20 {
            #expect(try backup.push(endpoint, "\(number)", to: server) == "201")
        }
        let before = try backup.pending(id, fixture.state)
        #expect(before.count == 20)
        try backup.run("backup", "--with-keys", backup.file)
        #expect(try backup.push(endpoint, "lost", to: server) == "201")
        let newer = try #require(try backup.register("newer")["endpoint"] as? String)
        _ = server.end(by: SIGKILL)

        let said = try backup.run("restore", "--state", backup.restored, backup.file)
        #expect(said.contains("\(backup.restored) has 1 device, 1 endpoint, 20 waiting messages"))
        #expect(said.contains("device confirm --all and bellwire token confirm --all"))
        let again = try backup.startRestored()
        #expect(try backup.pending(id, backup.restored) == before)
        #expect(try backup.push(endpoint, "next", to: again) == "201")
        #expect(try backup.push(newer, "later", to: again) == "503")
        #expect(try backup.push(newer + "x", "never", to: again) == "404")

        #expect(try backup.upgrade(bearer, again) == "503")
        let list = try backup.run("device", "list", "--state", backup.restored)
        #expect(list == "1  desk  admin  never seen, not let in: confirm it\n")
        let confirmed = try backup.run("device", "confirm", "--all", "--state", backup.restored)
        #expect(confirmed == "confirmed desk\n")
        #expect(try backup.upgrade(bearer, again) == "101")
        #expect(
            try backup.run("device", "confirm", "--all", "--state", backup.restored)
                == "no device waits for confirmation\n")
        let added = try ServeFixture.object(
            try backup.run("device", "add", "new", "--json", "--state", backup.restored))
        #expect(try #require(added["id"] as? Int) > 1_000_000)
        #expect(again.end() == 0)
        for secret in [bearer, String(endpoint.suffix(38))] {
            #expect(!again.errors.contains(secret) && !said.contains(secret))
        }
    }

    @Test("With the former folder, nothing that ended comes back, and no device waits")
    func former() throws {
        let server = try fixture.startInClear()
        let devices = try ["desk", "stolen"].map { name in
            try #require(
                try ServeFixture.object(try backup.run("device", "add", name, "--json"))["bearer"]
                    as? String)
        }
        let (kept, ended) = (try backup.register("kept"), try backup.register("ended"))
        let ids = try [kept, ended].map { try #require($0["id"] as? String) }
        let endpoints = try [kept, ended].map { try #require($0["endpoint"] as? String) }
        for endpoint in endpoints { _ = try backup.push(endpoint, "old", to: server) }
        try backup.run("backup", "--passphrase-file", backup.passphrase, backup.file)
        try backup.run("device", "remove", "stolen")
        try backup.run("registration", "revoke", ids[1])
        _ = try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "--unix-socket", fixture.state + "/control.sock", "-H",
                "Content-Type: application/json", "-d", #"{"registration":"\#(ids[0])"}"#,
                "http://localhost/api/v1/fetched",
            ])
        let busy = try backup.failure(
            1, "restore", "--state", backup.restored, "--former", fixture.state,
            "--passphrase-file", backup.passphrase, backup.file)
        #expect(busy.contains("another server uses \(fixture.state)"))
        _ = server.end(by: SIGKILL)
        let said = try backup.run(
            "restore", "--json", "--state", backup.restored, "--former", fixture.state,
            "--passphrase-file", backup.passphrase, backup.file)
        let result = try ServeFixture.object(String(said.split(separator: "\n").last ?? ""))
        #expect(result["unconfirmed"] as? Int == 0 && result["devices"] as? Int == 1)
        let again = try backup.startRestored()
        #expect(try backup.pending(ids[0], backup.restored) == [])
        #expect(try backup.push(endpoints[0], "new", to: again) == "201")
        #expect(try backup.push(endpoints[1], "new", to: again) == "410")
        #expect(try backup.upgrade(devices[0], again) == "101")
        #expect(try backup.upgrade(devices[1], again) == "401")
        #expect(again.end() == 0)
    }

    @Test("Restored under another address, it tells callbacks their new endpoint")
    func moved() throws {
        let hook = try HookServer()
        let server = try fixture.startInClear()
        let old = server.baseURL
        try backup.run(
            "register", "--app", "telegram", "--account", "me", "--callback",
            "http://127.0.0.1:\(hook.port)/hook")
        _ = hook.requests(1)
        // The answer has to be recorded, or it would be sent again.
        usleep(300_000)
        try backup.run("backup", "--with-keys", backup.file)
        _ = server.end(by: SIGKILL)
        try backup.run("restore", "--state", backup.restored, backup.file)
        let new = "http://127.0.0.1:\(server.port)"
        #expect(new != old)
        let again = try fixture.start([
            "--listen", new, "--base-url", new, "--alias", old, "--state", backup.restored,
        ])
        let event = try ServeFixture.object(try #require(hook.requests(2).last).text)
        let data = try #require(event["data"] as? [String: Any])
        let parameters = try #require(data["register_device"] as? [String: Any])
        let token = try ServeFixture.object(try #require(parameters["token"] as? String))
        let endpoint = try #require(token["endpoint"] as? String)
        #expect(endpoint.hasPrefix(new + "/"))
        #expect(try backup.push(endpoint, "version=1", to: again) == "201")
        #expect(again.end() == 0)
    }

    @Test("What is no whole backup, or has no key, is refused in one line, and nothing is made")
    func refused() throws {
        let server = try fixture.startInClear()
        try backup.run("backup", "--without-keys", backup.file)
        #expect(server.end() == 0)
        let (cut, sealed) = (fixture.home.file("cut"), fixture.home.file("sealed"))
        let whole = try Data(contentsOf: URL(filePath: backup.file))
        try whole.dropLast(1).write(to: URL(filePath: cut))
        for command in [["backup", "--verify"], ["restore", "--state", backup.restored]] {
            let outcome = try fixture.run(command + [cut])
            #expect(outcome.exitCode == 1)
            #expect(
                outcome.errors == """
                    bellwire: error: \(cut) is cut off: its last line is missing
                    bellwire: hint: use another backup

                    """)
        }
        let keyless = try backup.failure(1, "restore", "--state", backup.restored, backup.file)
        #expect(keyless.contains("the master key is not in the backup"))
        #expect(keyless.contains("\(backup.restored)/keys/master.json first"))
        try backup.run("backup", "--passphrase-file", backup.passphrase, sealed)
        let needed = try backup.failure(1, "restore", "--state", backup.restored, sealed)
        #expect(needed.contains("sealed under a passphrase"))
        let wrong = fixture.home.file("wrong")
        try Data("incorrect horse\n".utf8).write(to: URL(filePath: wrong))
        chmod(wrong, 0o600)
        for command in [["backup", "--verify"], ["restore", "--state", backup.restored]] {
            let outcome = try fixture.run(command + ["--passphrase-file", wrong, sealed])
            #expect(outcome.exitCode == 1)
            #expect(outcome.errors.contains("this is not the passphrase of \(sealed)"))
        }
        #expect(!FileManager.default.fileExists(atPath: backup.restored))
        let there = try backup.failure(
            1, "restore", "--passphrase-file", backup.passphrase, sealed)
        #expect(there.contains("\(fixture.state) already has a store"))
        #expect(there.contains("hint: choose an empty folder by --state"))
    }

    @Test("A backup without keys is restored with a copy of the key, and with no other key")
    func withoutKeys() throws {
        let server = try fixture.startInClear()
        let made = try backup.register("me")
        try backup.run("backup", "--without-keys", backup.file)
        _ = server.end(by: SIGKILL)
        let keys = backup.restored + "/keys"
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try backup.run("keys", "new", "master", keys + "/master.json")
        let wrong = try backup.failure(1, "restore", "--state", backup.restored, backup.file)
        #expect(wrong.contains("was sealed under another master key"))
        try FileManager.default.removeItem(atPath: keys + "/master.json")
        try FileManager.default.copyItem(
            atPath: fixture.state + "/keys/master.json", toPath: keys + "/master.json")
        try backup.run("restore", "--state", backup.restored, backup.file)
        let again = try backup.startRestored()
        let endpoint = try #require(made["endpoint"] as? String)
        #expect(try backup.push(endpoint, "x", to: again) == "201")
        #expect(again.end() == 0)
    }

    @Test("Another key in the key folder is not replaced")
    func otherKey() throws {
        let server = try fixture.startInClear()
        try backup.run("backup", "--with-keys", backup.file)
        #expect(server.end() == 0)
        let keys = fixture.home.file("keys")
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try backup.run("keys", "new", "master", keys + "/master.json")
        let before = try Data(contentsOf: URL(filePath: keys + "/master.json"))
        let errors = try backup.failure(
            1, "restore", "--state", backup.restored, "--keys", keys, backup.file)
        #expect(errors.contains("there is another master key in \(keys)"))
        #expect(try Data(contentsOf: URL(filePath: keys + "/master.json")) == before)
        #expect(!FileManager.default.fileExists(atPath: backup.restored + "/bellwire.db"))
    }

    @Test("A restore that is killed at any moment leaves a whole store or none")
    func kills() throws {
        let server = try fixture.startInClear()
        let made = try backup.register("me")
        let (id, endpoint) = (
            try #require(made["id"] as? String), try #require(made["endpoint"] as? String)
        )
        let text = String(repeating: "x", count: 5_000)
        for number in 0..<120 { _ = try backup.push(endpoint, "\(number) \(text)", to: server) }
        let before = try backup.pending(id, fixture.state)
        #expect(before.count == 120)
        try backup.run("backup", "--with-keys", backup.file)
        _ = server.end(by: SIGKILL)
        let (database, probe) = (backup.restored + "/bellwire.db", fixture.home.file("probe"))
        let whole = try ContinuousClock().measure {
            try backup.run("restore", "--state", backup.restored, backup.file)
        }
        try FileManager.default.removeItem(atPath: backup.restored)
        let longest = UInt32(whole / .microseconds(1))
        var generator = SeededGenerator(seed: 3)
        var killed = 0
        for _ in 0..<40 {
            let restoring = try RunningProcess(
                Program.path, ["restore", "--state", backup.restored, backup.file],
                environment: fixture.environment, errors: .nowhere)
            usleep(.random(in: longest / 10..<longest, using: &generator))
            if restoring.end(by: SIGKILL) != 0 { killed += 1 }
            guard FileManager.default.fileExists(atPath: database) else { continue }
            try backup.run("backup", "--without-keys", "--state", backup.restored, probe)
            try FileManager.default.removeItem(atPath: backup.restored)
        }
        #expect(killed > 5, "\(killed) were killed")
        try backup.run("restore", "--state", backup.restored, backup.file)
        let again = try backup.startRestored()
        #expect(try backup.pending(id, backup.restored) == before)
        #expect(again.end() == 0)
    }
}
