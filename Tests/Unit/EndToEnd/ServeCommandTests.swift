import Foundation
import TestSupport
import Testing

@Suite("bellwire serve")
struct ServeCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    @Test("It works without a configuration, and says how to trust its certificate")
    func noConfiguration() throws {
        let server = try fixture.start([])
        #expect(server.output == "bellwire: ready https://localhost:8443\n")
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 200"))
        #expect(server.hasSaid("sudo cp \(fixture.authority) "))
        let master = fixture.state + "/keys/master.json"
        let rights = try FileManager.default.attributesOfItem(atPath: master)
        #expect(rights[.posixPermissions] as? Int == 0o600)
        let socket = try FileManager.default.attributesOfItem(
            atPath: fixture.state + "/control.sock")
        #expect(socket[.posixPermissions] as? Int == 0o660)
        #expect(server.end() == 0)
        #expect(server.errors.contains("event=ended connections-cut=0"))
    }

    @Test("A second start prints no instructions, and a second server is refused")
    func second() throws {
        let first = try fixture.start()
        let refused = try fixture.run(["serve", "--listen", "127.0.0.1:0"])
        #expect(refused.exitCode == 1)
        #expect(refused.errors.contains("error: another server uses \(fixture.state)"))
        #expect(refused.output.isEmpty)
        #expect(first.end(by: SIGINT) == 0)
        let again = try fixture.start()
        #expect(again.end() == 0)
        #expect(!again.errors.contains("sudo cp"))
    }

    @Test("Requests are logged if configured, without their paths")
    func accessLog() throws {
        let server = try fixture.start(["--listen", "127.0.0.1:0", "--access-log", "yes"])
        #expect(try fixture.curl([server.baseURL + "/wpush/v1/secret?more"]).hasSuffix(" 200"))
        #expect(server.end() == 0)
        let line = "event=request method=GET what=discovery status=200 received=0 sent=29"
        #expect(server.errors.contains(line + " client=127.0.0.1"))
        #expect(!server.errors.contains("secret?more") && !server.errors.contains("v1/secret"))
        let silent = try fixture.start()
        #expect(try fixture.curl([silent.baseURL + "/health"]).hasSuffix(" 200"))
        #expect(silent.end() == 0)
        #expect(!silent.errors.contains("event=request"))
    }

    @Test("Metrics have their own listener and need the token")
    func metrics() throws {
        let socket = fixture.home.file("metrics.sock")
        let token = fixture.home.file("token")
        try "a-long-word\n".write(toFile: token, atomically: true, encoding: .utf8)
        let server = try fixture.start([
            "--listen", "127.0.0.1:0", "--metrics-listen", "unix:\(socket)",
            "--metrics-token-file", token,
        ])
        _ = try fixture.curl(["-X", "POST", server.baseURL + "/wpush/v1/nobody"])
        let url = ["--unix-socket", socket, "http://localhost/metrics"]
        #expect(try fixture.curl(url) == " 401")
        #expect(try fixture.curl(["-H", "Authorization: Bearer a-long-wore"] + url) == " 401")
        let known = ["-H", "Authorization: Bearer a-long-word"]
        let text = try fixture.curl(known + url)
        #expect(text.hasSuffix(" 200"))
        #expect(text.contains("bellwire_pushes_total{result=\"unknown-token\"} 1\n"))
        #expect(text.contains("# TYPE bellwire_user_agents gauge\nbellwire_user_agents 0\n"))
        #expect(text.contains("bellwire_requests_failed_total{what=\"push\",status=\"404\"} 1\n"))
        #expect(text.contains("bellwire_push_duration_seconds_count 1\n"))
        #expect(text.contains("bellwire_connections{protocol=\"http/1.1\"} 1\n"))
        // What was never counted is there, too.
        for series in [
            "pushes_total{result=\"gone\"}", "floods_total{kind=\"pings\"}",
            "http_refused_total{reason=\"timeout\"}", "callbacks_total{result=\"5xx\"}",
            "connections_turned_away_total{reason=\"too-many\"}",
        ] {
            #expect(text.contains("bellwire_\(series) 0\n"))
        }
        let page = Vectors.checkout.appending(path: "docs/metrics.md")
        let described = try String(contentsOf: page, encoding: .utf8)
        let name = try Regex("`((?:bellwire|process)_[a-z_]+)`", as: (Substring, Substring).self)
        let families = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
            .map { $0.split(separator: " ")[2] }
        #expect(Set(families) == Set(described.matches(of: name).map(\.output.1)))
        #expect(!text.contains("nobody"))
        #expect(try fixture.curl(known + ["-H", "Origin: https://a.example"] + url) == " 403")
        for name in ["rebound.example", "10.0.0.1", "localhost.rebound.example"] {
            #expect(try fixture.curl(known + ["-H", "Host: \(name)"] + url).hasSuffix(" 421"))
        }
        #expect(try fixture.curl(known + ["-H", "Host: [::1]:1"] + url).hasSuffix(" 200"))
        #expect(try fixture.curl([server.baseURL + "/metrics"]).hasSuffix(" 404"))
        #expect(server.end() == 0)
    }

    @Test(
        "Metrics without a token are not for whoever asks a proxy on this machine",
        arguments: ["X-Forwarded-For: 203.0.113.7", "forwarded: for=203.0.113.7"])
    func metricsBehindProxy(field: String) throws {
        let token = fixture.home.file("token")
        try "a-long-word\n".write(toFile: token, atomically: true, encoding: .utf8)
        for options in [[], ["--metrics-token-file", token]] {
            let socket = fixture.home.file("metrics.sock")
            let server = try fixture.start(
                ["--listen", "127.0.0.1:0", "--metrics-listen", "unix:\(socket)"] + options)
            let known = ["-H", "Authorization: Bearer a-long-word", "--unix-socket", socket]
            let url = ["http://localhost/metrics"]
            #expect(try fixture.curl(known + url).hasSuffix(" 200"))
            let passedOn = try fixture.curl(known + ["-H", field] + url)
            #expect(options.isEmpty ? passedOn == " 403" : passedOn.hasSuffix(" 200"))
            #expect(server.end() == 0)
        }
    }

    @Test("A used port gives an error and a hint")
    func portInUse() throws {
        let server = try fixture.start()
        let other = try ServeFixture()
        let outcome = try other.run(["serve", "--listen", "127.0.0.1:\(server.port)"])
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.contains("error: port \(server.port) is in use"))
        #expect(outcome.errors.contains("bellwire: hint: "))
    }

    @Test("A store is not opened with a wrong or missing key")
    func wrongKey() throws {
        #expect(try fixture.start().end() == 0)
        let master = fixture.state + "/keys/master.json"
        try FileManager.default.removeItem(atPath: master)
        let missing = try fixture.run(["serve", "--listen", "127.0.0.1:0"])
        #expect(missing.exitCode == 1 && missing.errors.contains("\(master) is missing"))
        #expect(!FileManager.default.fileExists(atPath: master))
        #expect(try fixture.run(["keys", "new", "master", master]).exitCode == 0)
        let wrong = try fixture.run(["serve", "--listen", "127.0.0.1:0"])
        #expect(wrong.exitCode == 1)
        #expect(wrong.errors.contains("error: the store was sealed under another master key"))
    }

    @Test("Credentials for a cluster that others can read are refused, as by bellwire check")
    func readableCredentials() throws {
        let credentials = fixture.state + "/node.creds"
        #expect(try fixture.start().end() == 0)
        try Data("secret".utf8).write(to: URL(filePath: credentials))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: credentials)
        for command in ["serve", "check"] {
            let outcome = try fixture.run([
                command, "--store", "nats://127.0.0.1:1", "--node", "a", "--store-credentials",
                credentials,
            ])
            #expect(outcome.exitCode == 1)
            #expect(outcome.errors.contains("\(credentials) can be read by others (mode 644)"))
        }
    }

    @Test("A damaged database stops the start with a hint and is not changed")
    func damagedStore() throws {
        #expect(try fixture.start().end() == 0)
        let database = URL(filePath: fixture.state + "/bellwire.db")
        let garbage = Data("this is a letter, and no database".utf8)
        try garbage.write(to: database)
        let outcome = try fixture.run(["serve", "--listen", "127.0.0.1:0"])
        #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
        let said = outcome.errors.split(separator: "\n").filter { !$0.contains(": info: ") }
        #expect(said.count == 2, "\(outcome.errors)")
        #expect(said.first?.hasPrefix("bellwire: error: the store is damaged: ") == true)
        #expect(
            said.last == "bellwire: hint: move the files bellwire.db* away and run bellwire restore"
        )
        #expect(try Data(contentsOf: database) == garbage)
    }

    @Test("A master key from systemd is used; new keys go to another folder")
    func credential() throws {
        var fixture = fixture
        let folder = fixture.home.file("credentials")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        #expect(try fixture.run(["keys", "new", "master", folder + "/master.json"]).exitCode == 0)
        for (path, mode) in [(folder + "/master.json", 0o440), (folder, 0o550)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        fixture.environment["CREDENTIALS_DIRECTORY"] = folder
        let server = try fixture.start()
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 200"))
        #expect(server.end() == 0)
        #expect(!server.errors.contains("event=master-key-made"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["master.json"])
        #expect(FileManager.default.fileExists(atPath: fixture.authority))
    }

    @Test("State and keys that others could change are refused")
    func unsafeFolders() throws {
        let state = fixture.home.file("state")
        for folder in [state, state + "/keys"] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder)
            let outcome = try fixture.run(["serve", "--state", state, "--listen", "127.0.0.1:0"])
            #expect(outcome.exitCode == 1)
            #expect(outcome.errors.contains("hint: run chmod go-w \(folder)"))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        }
        let link = fixture.home.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: state)
        let outcome = try fixture.run(["serve", "--state", link, "--listen", "127.0.0.1:0"])
        #expect(outcome.exitCode == 1 && outcome.errors.contains("\(link) is a symbolic link"))
    }

    @Test(
        "A mistake in the configuration is shown with its line",
        arguments: [
            ("listen = 127.0.0.1:0\nbase-ur = https://a.example", ":2: unknown key base-ur"),
            ("# one\n\nlisten = somewhere", ":3: listen: somewhere has no port"),
            ("tls-key = /nowhere", ":1: tls-key needs tls-certificate"),
        ])
    func configurationErrors(text: String, message: String) throws {
        let file = fixture.home.file("bellwire.conf")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        for command in ["serve", "check"] {
            let outcome = try fixture.run([command, "--config", file])
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.contains("error: \(file)\(message)"))
        }
    }

    @Test("serve --help lists every key with its default")
    func help() throws {
        let help = try fixture.run(["serve", "--help"]).output
        for key in ["listen ADDRESS", "base-url URL", "local-users yes|no", "config FILE"] {
            #expect(help.contains("--\(key) "))
        }
        #expect(
            help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "(default: sqlite)"))
    }

    @Test("check shows the configuration and its mistakes")
    func check() throws {
        let fine = try fixture.run(["check", "--listen", "127.0.0.1:1"])
        #expect(fine.exitCode == 0)
        #expect(fine.output.contains("listen = 127.0.0.1:1  # --listen\n"))
        #expect(!FileManager.default.fileExists(atPath: fixture.state))
        #expect(fine.output.contains("base-url leads to this machine"))
        #expect(fine.output.contains("- '127.0.0.1/32'"))
        let broken = try fixture.run([
            "check", "--tls-certificate", "/nowhere", "--tls-key", "/nowhere", "--json",
        ])
        #expect(broken.exitCode == 1)
        let report = try JSONSerialization.jsonObject(with: Data(broken.output.utf8))
        let problems = (report as? [String: Any])?["problems"] as? [[String: String]]
        #expect(problems?.first?["error"]?.contains("/nowhere") == true)
    }

    @Test("check reads the files for a store on other servers, and shows no password")
    func storeFiles() throws {
        let credentials = fixture.home.file("node.creds")
        try "secret".write(toFile: credentials, atomically: true, encoding: .utf8)
        let options = ["check", "--store", "tls://u:hush@127.0.0.1:1", "--node", "a"]
        let named = options + ["--store-credentials", credentials]
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: credentials)
        #expect(try fixture.run(named).errors.contains("can be read by others (mode 640)"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: credentials)
        let fine = try fixture.run(named)
        #expect(fine.exitCode == 0 && !fine.output.contains("hush"))
        #expect(fine.output.contains("store = tls://<secret>@127.0.0.1:1  # --store\n"))
        for option in ["--store-authorities", "--store-credentials"] {
            let missing = try fixture.run(options + [option, "/nowhere"])
            #expect(missing.exitCode == 1 && missing.errors.contains("error: /nowhere: "))
        }
    }
}
