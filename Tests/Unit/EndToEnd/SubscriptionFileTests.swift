import Foundation
import TestSupport
import Testing

@Suite("bellwire register --subscription: writes what bellwire send --to takes")
struct SubscriptionFileTests {
    private let fixture: ServeFixture
    private let path: String

    init() throws {
        fixture = try ServeFixture()
        path = fixture.home.file("a script.json")
    }

    private func register(_ account: String, _ path: String, _ options: String...) throws
        -> Program.Outcome
    {
        try fixture.run(
            [
                "register", "--app", "script", "--account", account, "--dialect", "plain",
                "--subscription", path,
            ] + options)
    }

    private func members(_ path: String) throws -> [String: Any] {
        try ServeFixture.object(try String(contentsOf: URL(filePath: path), encoding: .utf8))
    }

    private func registrations() throws -> Int {
        let list = try ServeFixture.object(
            try fixture.run(["registration", "list", "--json"]).output)
        return (list["registrations"] as? [Any])?.count ?? -1
    }

    @Test("The file is for its owner only, and a push to it arrives")
    func sent() throws {
        let server = try fixture.startInClear()
        let made = try register("me", path)
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(made.output.contains("push to it with: bellwire send --to '\(path)' MESSAGE\n"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let endpoint = try #require(try members(path)["endpoint"] as? String)
        #expect(!made.output.contains(endpoint))
        #expect(try fixture.run(["send", "--to", path, "hello"]).exitCode == 0)
        let id = try #require(try members(path)["registration"] as? String)
        let waiting = try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-m", "10", "--unix-socket", fixture.state + "/control.sock",
                "http://localhost/api/v1/pending?registration=\(id)",
            ])
        #expect(waiting.contains(#""payload":"aGVsbG8""#), "\(waiting)")

        // Type 4 has no keys, and JSON is printed as without the file.
        let signal = try register("me", path, "--type", "4", "--json")
        let printed = try ServeFixture.object(signal.output)
        #expect(printed["endpoint"] as? String == (try members(path)["endpoint"] as? String))
        #expect(try members(path)["keys"] == nil)
        #expect(try fixture.run(["send", "--to", path]).exitCode == 0)
        #expect(server.end() == 0)
    }

    @Test("Secrets that no other answer tells are printed")
    func secrets() throws {
        let server = try fixture.startInClear()
        let made = try register("me", path, "--callback", "https://app.example/x")
        #expect(made.output.contains("callbacks are signed with:\n    whsec_"), "\(made.output)")
        #expect(server.end() == 0)
    }

    @Test("Only the file of the same account is replaced, and nothing is made otherwise")
    func others() throws {
        let server = try fixture.startInClear()
        #expect(try register("me", path).exitCode == 0)
        let first = try members(path)["endpoint"] as? String
        #expect(try register("me", path).exitCode == 0)
        #expect(try members(path)["endpoint"] as? String != first)
        #expect(try registrations() == 2)

        let refused = try register("you", path)
        #expect(refused.exitCode == 1)
        #expect(
            refused.errors.contains("a script.json exists, and is not the subscription of script/"))
        let browser = fixture.home.file("browser.json")
        let text = #"{"endpoint":"https://push.example/1","keys":null}"#
        try text.write(toFile: browser, atomically: true, encoding: .utf8)
        chmod(browser, 0o600)
        let link = fixture.home.file("link.json")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for other in [browser, link, fixture.home.path, fixture.home.file("nowhere/x.json")] {
            let outcome = try register("me", other)
            #expect(outcome.exitCode == 1 && outcome.output.isEmpty, "\(other)")
        }
        #expect(try String(contentsOf: URL(filePath: browser), encoding: .utf8) == text)
        #expect(try registrations() == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.home.path)
        #expect(!left.contains { $0.hasSuffix(".new") })
        #expect(server.end() == 0)
        // Without a server there is no file either.
        #expect(try register("me", fixture.home.file("late.json")).exitCode == 4)
        #expect(!FileManager.default.fileExists(atPath: fixture.home.file("late.json")))
    }
}
