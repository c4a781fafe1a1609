import Foundation
import TestSupport
import Testing

@Suite("One home for state and keys")
struct HomeTests {
    private let fixture: ServeFixture
    private let checkout: String

    init() throws {
        fixture = try ServeFixture()
        checkout = fixture.home.file("a checkout")
        try FileManager.default.createDirectory(
            atPath: checkout + "/Keys", withIntermediateDirectories: true)
        chmod(checkout + "/Keys", 0o700)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private var fromCheckout: [String] { ["--listen", "127.0.0.1:0", "--checkout", checkout] }

    @Test("A store without its key is refused, and a key elsewhere stays where it is")
    func missingKey() throws {
        #expect(try fixture.start().end() == 0)
        let master = fixture.state + "/keys/master.json"
        let other = checkout + "/Keys/master.json"
        try FileManager.default.moveItem(atPath: master, toPath: other)
        for arguments in [["serve"] + fromCheckout, ["check"]] {
            let outcome = try fixture.run(arguments)
            #expect(outcome.exitCode == 1 && outcome.errors.contains("\(master) is missing"))
            #expect(outcome.errors.contains("hint: restore the key file"))
        }
        #expect(!FileManager.default.fileExists(atPath: master))
        #expect(try fixture.start(["--keys", checkout + "/Keys"]).end() == 0)
    }

    @Test("Two checkouts share one authority, and each has a copy of its certificate")
    func twoCheckouts() throws {
        let second = fixture.home.file("second")
        try FileManager.default.createDirectory(
            atPath: second + "/Keys", withIntermediateDirectories: true)
        #expect(try fixture.start(fromCheckout).end() == 0)
        let server = try fixture.start(["--listen", "127.0.0.1:0", "--checkout", second])
        #expect(server.end() == 0 && !server.errors.contains("sudo cp"))
        let authority = try bytes(fixture.authority)
        for folder in [checkout, second] {
            #expect(try bytes(folder + "/Keys/development-ca.pem") == authority)
            #expect(!FileManager.default.fileExists(atPath: folder + "/Keys/master.json"))
        }
        #expect(authority != Data() && server.hasSaid("bellwire topic add builds"))
    }

    @Test("The first steps lead to a notification, and say when there is no bus")
    func firstSteps() throws {
        let server = try fixture.start(fromCheckout)
        #expect(server.hasSaid("There is no session bus"))
        #expect(server.errors.contains("export PATH='\(checkout)/.build/release':$PATH"))
        #expect(server.errors.contains("\n  bellwire topic add builds\n"))
        let program = URL(filePath: Program.path).deletingLastPathComponent().path
        let variables = "PATH='\(program)':$PATH HOME='\(fixture.home.path)' XDG_STATE_HOME="
        func type(_ command: String) throws -> String {
            try ServeFixture.output("/bin/sh", ["-c", "export \(variables)\n\(command)"])
        }
        let said = try type("bellwire topic add builds")
        let line = said.split(separator: "\n").map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("curl ") }
        let push = try #require(line, "\(said)")
        #expect(try type("\(push) -s -m 10 -o /dev/null -w '%{http_code}'") == "200")
        #expect(server.end() == 0)
    }

    @Test("A port in use is found before anything is made")
    func portFirst() throws {
        let server = try fixture.start()
        let other = try ServeFixture()
        for arguments in [
            ["--listen", "127.0.0.1:\(server.port)"],
            ["--listen", "127.0.0.1:0", "--metrics-listen", "http://127.0.0.1:\(server.port)"],
        ] {
            let outcome = try other.run(["serve"] + arguments)
            #expect(outcome.exitCode == 1)
            #expect(outcome.errors.contains("error: port \(server.port) is in use"))
            #expect(!FileManager.default.fileExists(atPath: other.home.file(".local")))
        }
        let again = try fixture.run(["serve", "--listen", "127.0.0.1:\(server.port)"])
        #expect(again.errors.contains("hint: a server runs already, with \(fixture.state)"))
    }

    @Test("check --live asks the running server")
    func live() throws {
        let none = try fixture.run(["check", "--live"])
        #expect(none.exitCode == 4 && none.errors.contains("no server answers at"))
        let server = try fixture.startInClear()
        let live = try fixture.run(["check", "--live"])
        #expect(live.exitCode == 0)
        #expect(live.output.hasPrefix("live: \(server.baseURL), version "))
        let json = try ServeFixture.object(try fixture.run(["check", "--live", "--json"]).output)
        #expect(json["status"] as? String == "OK")
        #expect(server.end() == 0)
        #expect(try fixture.run(["check", "--live"]).exitCode == 4)
    }

    @Test("check shows resolved values, and mistakes before them")
    func resolved() throws {
        let fine = try fixture.run(["check"])
        for line in [
            "listen = 127.0.0.1:8443  # default", "listen = [::1]:8443  # default",
            "base-url = https://localhost:8443  # default",
            "tls-certificate = \(fixture.state)/keys/development-tls.pem  # default",
            "receivers-file = \(fixture.home.path)/.config/bellwire/receivers  # default",
        ] {
            #expect(fine.output.contains(line + "\n"), "\(line)")
        }
        #expect(try fixture.start().end() == 0)
        #expect(
            FileManager.default.fileExists(atPath: fixture.state + "/keys/development-tls.pem"))
        let script = "exec \"$0\" check --tls-certificate /nowhere --tls-key /nowhere 2>&1"
        let said = try RunningProcess(
            "/bin/sh", ["-c", script, Program.path], environment: fixture.environment,
            errors: .withOutput
        ).text()
        #expect(said.hasPrefix("bellwire: error: /nowhere"), "\(said)")
    }
}
