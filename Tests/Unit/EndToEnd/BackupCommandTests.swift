import Foundation
import TestSupport
import Testing

@Suite("bellwire backup")
struct BackupCommandTests {
    private let backup: BackupFixture
    private var fixture: ServeFixture { backup.fixture }

    init() throws { backup = try BackupFixture() }

    @Test("It takes exactly one choice for the master key, one file, and a store")
    func usage() throws {
        let file = backup.file
        #expect(try backup.failure(2, "backup").contains("use backup FILE"))
        #expect(
            try backup.failure(2, "backup", file).contains("--with-keys, --passphrase-file FILE"))
        _ = try backup.failure(2, "backup", "--with-keys", "--without-keys", file)
        _ = try backup.failure(2, "backup", "--with-keys", "--passphrase-file", "x", file)
        _ = try backup.failure(2, "backup", "--verify", "--with-keys", file)
        _ = try backup.failure(2, "backup", "--with-keys", "--keep", "0", file)
        let none = try backup.failure(1, "backup", "--with-keys", file)
        #expect(none.contains("there is no store in \(fixture.state)"))
        #expect(none.contains("hint: name the server's state folder by --state"))
        #expect(try backup.leftOvers == [])
        #expect(!FileManager.default.fileExists(atPath: fixture.state))
    }

    @Test("A passphrase that others can read, or that is short, is refused")
    func passphrase() throws {
        let server = try fixture.startInClear()
        let path = backup.passphrase
        chmod(path, 0o644)
        let open = try backup.failure(1, "backup", "--passphrase-file", path, backup.file)
        #expect(open.contains("run chmod 600 \(path)"))
        try Data("short\n\n".utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
        let short = try backup.failure(2, "backup", "--passphrase-file", path, backup.file)
        #expect(short.contains("is shorter than 8 characters"))
        #expect(try backup.leftOvers == [])
        #expect(server.end() == 0)
    }

    @Test("It says what it has done and what to do with the keys, as text and as JSON")
    func texts() throws {
        let server = try fixture.startInClear()
        try backup.run("device", "add", "desk")
        let made = try backup.register("me")
        _ = try backup.push(try #require(made["endpoint"] as? String), "text", to: server)
        let outcome = try fixture.run(["backup", "--with-keys", backup.file])
        #expect(outcome.exitCode == 0 && outcome.errors == "copying: 100 %\nchecking: 100 %\n")
        let text = outcome.output
        #expect(text.hasPrefix("\(backup.file) has 1 device, 1 endpoint, 1 waiting message\n"))
        #expect(text.contains("the master key is in it: keep it where only you can read it\n"))
        let without = try backup.run("backup", "--without-keys", backup.file)
        #expect(without.contains("without a copy of \(fixture.state)/keys/master.json it is worth"))
        let line = try backup.run("backup", "--verify", backup.file)
        #expect(line.hasPrefix("\(backup.file) is whole: made 20"))
        #expect(line.hasSuffix("the master key of this server opens it\n"))
        #expect(line.split(separator: "\n").count == 1)
        let sealed = try backup.run(
            "backup", "--json", "--passphrase-file", backup.passphrase, backup.file)
        let lines = try sealed.split(separator: "\n").map { try ServeFixture.object(String($0)) }
        #expect(lines.dropLast().allSatisfy { $0["event"] as? String == "progress" })
        #expect(lines.count > 2 && lines.last?["event"] as? String == "done")
        #expect(lines.last?["keys"] as? String == "passphrase")
        #expect(lines.last?["messages"] as? Int == 1)
        #expect(server.end() == 0)
        // It needs no server.
        try backup.run("backup", "--with-keys", backup.file)
        let verified = try ServeFixture.object(
            String(
                try backup.run("backup", "--verify", "--json", backup.file)
                    .split(separator: "\n").last ?? ""))
        #expect(verified["keys_open_it"] as? Bool == true)
        #expect(verified["keys_of_this_server"] as? Bool == true)
    }

    @Test("It says when a backup is sealed under the keys of another server")
    func otherKeys() throws {
        let keys = fixture.home.file("elsewhere")
        let server = try fixture.startInClear()
        #expect(server.end() == 0)
        let other = try fixture.start(
            ["--listen", "http://127.0.0.1:0", "--state", backup.restored, "--keys", keys])
        #expect(other.end() == 0)
        let own = try backup.run("backup", "--with-keys", backup.file)
        #expect(own.contains("the master key is in it"))
        let verify = ["backup", "--verify", backup.file]
        let said = try fixture.run(verify).output
        #expect(said.hasSuffix("its keys open it, and whoever could change it has them\n"))
        let there = try fixture.run(verify + ["--state", backup.restored, "--keys", keys])
        #expect(there.output.hasSuffix("has them; they are not the keys of this server\n"))
        #expect(there.exitCode == 0)
    }

    /// Makes the owner of everything somebody else, and the checksum right again.
    private static let forger = """
        import hashlib, sqlite3, sys
        path = sys.argv[1]
        data = open(path, "rb").read()
        end = data.rindex(b"\\nbellwire backup sha256 ")
        open(path, "wb").write(data[:end])
        database = sqlite3.connect(path)
        database.execute("INSERT INTO owner (name) VALUES ('eve')")
        database.execute("UPDATE credential SET owner = (SELECT row FROM owner WHERE name = 'eve')")
        database.execute("UPDATE registration SET owner = 'eve'")
        database.commit()
        database.close()
        line = data[end:]
        data = open(path, "rb").read()
        digest = hashlib.sha256(data).hexdigest().encode()
        open(path, "wb").write(data + line[:24] + digest + line[88:])
        """

    @Test("A backup that somebody changed is refused, and without keys it may have been changed")
    func authentic() throws {
        let server = try fixture.startInClear()
        try backup.run("device", "add", "desk")
        _ = try backup.register("me")
        #expect(server.end() == 0)
        let phrase = ["--passphrase-file", backup.passphrase]
        for options in [["--with-keys"], phrase, ["--without-keys"]] {
            let made = try fixture.run(["backup"] + options + [backup.file])
            #expect(made.exitCode == 0, "\(made.errors)")
            let needed = options == phrase ? phrase : []
            let verify = ["backup", "--verify"] + needed + [backup.file]
            #expect(try fixture.run(verify).exitCode == 0)
            _ = try ServeFixture.output(
                "/usr/bin/python3", ["-c", Self.forger, backup.file])
            var restore = ["restore", "--state", backup.restored] + needed + [backup.file]
            if options == ["--without-keys"] { restore += ["--keys", fixture.state + "/keys"] }
            for command in [verify, restore] {
                let outcome = try fixture.run(command)
                #expect(outcome.exitCode == 1)
                #expect(
                    outcome.errors.contains(
                        "\(backup.file) was changed by somebody after it was made"),
                    "\(outcome.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: backup.restored))
        }
        // Who has no key there cannot find out.
        let elsewhere = try backup.run(
            "backup", "--verify", "--state", backup.restored, backup.file)
        #expect(elsewhere.hasSuffix("nor here, so somebody may have changed it\n"))
    }

    @Test("The key file that a backup without keys names is the one that the server uses")
    func keyFile() throws {
        let keys = fixture.home.file("elsewhere")
        let server = try fixture.start(["--listen", "http://127.0.0.1:0", "--keys", keys])
        #expect(server.end() == 0)
        let lacking = try backup.failure(1, "backup", "--without-keys", backup.file)
        #expect(lacking.contains("or name its folder by --keys"))
        #expect(try backup.leftOvers == [])
        let made = try backup.run("backup", "--without-keys", "--keys", keys, backup.file)
        #expect(made.contains("without a copy of \(keys)/master.json it is worthless"))
    }

    @Test("A kill at any moment leaves a whole backup or none, and the server is not disturbed")
    func kills() throws {
        let server = try fixture.startInClear()
        let made = try backup.register("me")
        let endpoint = try #require(made["endpoint"] as? String)
        let large = fixture.home.file("large")
        try Data(String(repeating: "x", count: 5_000).utf8).write(to: URL(filePath: large))
        var requests = ["-sS"]
        for number in 0..<800 {
            if number > 0 { requests.append("--next") }
            requests += [
                "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "TTL: 86400", "-d", "@" + large,
                endpoint,
            ]
        }
        let pushing = try RunningProcess("/usr/bin/curl", requests)
        var generator = SeededGenerator(seed: 7)
        var killed = 0
        for round in 0..<40 {
            let copying = try RunningProcess(
                Program.path, ["backup", "--with-keys", backup.file],
                environment: fixture.environment)
            usleep(.random(in: 5_000..<120_000, using: &generator))
            if copying.end(by: SIGKILL) != 0 { killed += 1 }
            guard FileManager.default.fileExists(atPath: backup.file) else { continue }
            try backup.run("backup", "--verify", backup.file)
            if round.isMultiple(of: 3) {
                try FileManager.default.removeItem(atPath: backup.file)
            }
        }
        #expect(killed > 5, "\(killed) were killed")
        let statuses = Set(try pushing.text().split(separator: "\n"))
        #expect(statuses == ["201"])
        try backup.run("backup", "--with-keys", backup.file)
        #expect(try backup.leftOvers == ["backup"])
        #expect(server.end() == 0)
    }

    @Test("Of a folder of backups the newest are kept, once the new one is checked")
    func series() throws {
        let server = try fixture.startInClear()
        let folder = fixture.home.file("series")
        try backup.run("backup", "--with-keys", "--keep", "3", folder)
        let first = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(first.count == 1)
        let old = ["20200101T000000Z", "20210101T000000Z", "20220101T000000Z"].map {
            "bellwire-\($0).backup"
        }
        for name in old {
            try FileManager.default.copyItem(
                atPath: folder + "/" + first[0], toPath: folder + "/" + name)
        }
        let others = ["bellwire-mine.backup", "notes", old[0] + ".new"]
        for name in others { try Data().write(to: URL(filePath: folder + "/" + name)) }
        try FileManager.default.removeItem(atPath: folder + "/" + first[0])
        try backup.run(
            "backup", "--passphrase-file", backup.passphrase, "--keep", "2", folder)
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(names.isSuperset(of: [old[2], others[0], others[1]]))
        #expect(names.count == 4 && names.isDisjoint(with: [old[0], old[1], others[2]]))
        #expect(server.end() == 0)
    }

    @Test("No backup but one with keys has a secret in it, and no output has one")
    func secrets() throws {
        let server = try fixture.startInClear()
        let device = try ServeFixture.object(try backup.run("device", "add", "desk", "--json"))
        let bearer = try #require(device["bearer"] as? String)
        let made = try backup.register("me")
        let endpoint = try #require(made["endpoint"] as? String)
        _ = try backup.push(endpoint, "a telling text", to: server)
        let key = try String(contentsOfFile: fixture.state + "/keys/master.json", encoding: .utf8)
        let master = try #require(
            try JSONDecoder().decode([String: String].self, from: Data(key.utf8))["key"])
        var coded = master.replacing("-", with: "+").replacing("_", with: "/")
        while coded.count % 4 != 0 { coded += "=" }
        let raw = try #require(Data(base64Encoded: coded))
        for options in [["--without-keys"], ["--passphrase-file", backup.passphrase]] {
            let outcome = try fixture.run(["backup"] + options + [backup.file])
            #expect(outcome.exitCode == 0)
            let content = try Data(contentsOf: URL(filePath: backup.file))
            let output = Data((outcome.output + outcome.errors).utf8)
            for secret in [
                raw, Data(master.utf8), Data(bearer.utf8), Data(endpoint.suffix(38).utf8),
                Data("a telling text".utf8), Data("correct horse battery".utf8),
            ] {
                #expect(content.range(of: secret) == nil && output.range(of: secret) == nil)
            }
        }
        let clear = try backup.run("backup", "--with-keys", backup.file)
        #expect(!clear.contains(master))
        #expect(try Data(contentsOf: URL(filePath: backup.file)).range(of: raw) != nil)
        #expect(server.end() == 0)
    }
}
