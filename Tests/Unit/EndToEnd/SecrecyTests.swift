import Foundation
import HookSupport
import TestSupport
import Testing

@Suite("Secrets of a registration")
struct SecrecyTests {
    private let fixture: ServeFixture

    init() throws {
        var fixture = try ServeFixture()
        // Swift's own crash report would show memory.
        fixture.environment["SWIFT_BACKTRACE"] = "enable=yes,output-to=stderr"
        self.fixture = fixture
    }

    private func run(_ arguments: String...) throws -> String {
        let outcome = try fixture.run(arguments)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func control(_ path: String) throws -> String {
        try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-m", "10", "--unix-socket", fixture.state + "/control.sock",
                "http://localhost/api/v1/" + path,
            ])
    }

    /// The secrets that only the registering client may have, by name.
    private func secrets(_ answer: [String: Any]) -> [String: String] {
        let keys = answer["keys"] as? [String: String] ?? [:]
        let device = answer["register_device"] as? [String: Any] ?? [:]
        let endpoint = answer["endpoint"] as? String ?? ""
        return [
            "the signing secret": answer["callback_secret"] as? String ?? "",
            "the key": keys["p256dh"] ?? "", "auth": keys["auth"] ?? "",
            "the secret of payloads": device["secret"] as? String ?? "",
            "the endpoint": String(endpoint.suffix(38)),
        ]
    }

    @Test("They appear in no later answer, no log and no crash dump")
    func secrets() throws {
        let hook = try HookServer()
        let server = try fixture.start([
            "--listen", "http://127.0.0.1:0", "--access-log", "yes",
        ])
        let made = try ServeFixture.object(
            try run(
                "register", "--app", "telegram", "--account", "me", "--secret", "new", "--json",
                "--callback", "http://127.0.0.1:\(hook.port)/deep-path"))
        let id = try #require(made["id"] as? String)
        let path = try fixture.subscription(made)
        // It is not encrypted under the secret, so it is counted; the unencrypted one is, too.
        _ = try run("send", "--to", path, "a telling text")
        _ = try ServeFixture.output(
            "/usr/bin/curl", ["-sS", "-d", "a clear text", made["endpoint"] as? String ?? ""])
        let rotated = try ServeFixture.object(try run("registration", "rotate", id, "--json"))
        _ = hook.requests(4)
        let answers = [
            "list": try run("registration", "list", "--json"),
            "list for people": try run("registration", "list"),
            "show": try run("registration", "show", id),
            "show as JSON": try run("registration", "show", id, "--json"),
            "registrations": try control("registrations"),
            "sources": try control("sources/\(id)"),
            "pending": try control("pending?registration=\(id)"),
        ]
        #expect(answers.values.allSatisfy { !$0.isEmpty } && answers["show"]?.contains(id) == true)
        server.signal(SIGSEGV)
        #expect(server.hasEnded(within: 10))
        var hidden = secrets(rotated)
        for (what, secret) in secrets(made) { hidden["the former " + what] = secret }
        hidden["the target of the callback"] = "deep-path"
        hidden["a body"] = "a telling text"
        hidden["a body in clear"] = "a clear text"
        for (what, secret) in hidden {
            #expect(secret.count >= 9, "\(what)")
            #expect(!server.errors.contains(secret) && !server.output.contains(secret), "\(what)")
            // The owner may see the address of the callback.
            guard !what.hasSuffix("endpoint"), what != "the target of the callback" else {
                continue
            }
            for (name, answer) in answers {
                #expect(!answer.contains(secret), "\(name) has \(what)")
            }
        }
        // The log has lines, but no crash report.
        for said in ["status=201", "event=undecryptable"] { #expect(server.errors.contains(said)) }
        #expect(!server.errors.contains("Backtrace") && !server.errors.contains("Registers"))
        let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.home.path)
        #expect(!files.contains { $0.split(separator: "/").last?.hasPrefix("core") == true })
    }
}
