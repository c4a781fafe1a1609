import Foundation
import TestSupport
import Testing

@Suite("bellwire hear")
struct HearCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func hear(_ name: String, _ options: String...) throws -> [String: Any] {
        let outcome = try fixture.run(["hear", name, "--json"] + options)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try ServeFixture.object(outcome.output)
    }

    @Test("The line that it prints pushes, over TLS and without anything to install")
    func printed() throws {
        let server = try fixture.start()
        let outcome = try fixture.run(["hear", "the build"])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        #expect(lines[0] == "the build is heard at this address; keep it secret:")
        #expect(lines[1].hasPrefix("https://localhost:"))
        let line = try #require(lines.first { $0.hasPrefix("curl ") })
        #expect(line.contains("--cacert \(fixture.authority) "))
        let status = try ServeFixture.output(
            "/bin/sh", ["-c", line + " -sS -o /dev/null -w '%{http_code}' -m 10"])
        #expect(status == "201", "\(status)")
        #expect(try fixture.run(["list"]).output.contains("  script  the build  type 10  until "))
        #expect(server.end() == 0)
    }

    @Test("A name has one address, until that is revoked")
    func again() throws {
        let server = try fixture.startInClear()
        let first = try hear("build")
        #expect(first["new"] as? Bool == true && first["name"] as? String == "build")
        let again = try hear("build")
        #expect(again["new"] as? Bool == false)
        #expect(again["endpoint"] as? String == first["endpoint"] as? String)
        #expect(try hear("other")["endpoint"] as? String != first["endpoint"] as? String)
        let id = try #require(first["id"] as? String)
        #expect(try fixture.run(["rotate", id]).exitCode == 0)
        let rotated = try hear("build")
        #expect(rotated["id"] as? String == id)
        #expect(rotated["endpoint"] as? String != first["endpoint"] as? String)
        #expect(try fixture.run(["revoke", id]).exitCode == 0)
        #expect(try hear("build")["new"] as? Bool == true)
        #expect(server.end() == 0)
    }

    @Test("--address prints only the address, and says elsewhere that nobody listens")
    func address() throws {
        let server = try fixture.startInClear()
        let outcome = try fixture.run(["hear", "build", "--address"])
        #expect(outcome.output == "\(try #require(try hear("build")["endpoint"] as? String))\n")
        #expect(outcome.errors.hasPrefix("bellwire: nobody listens. No screen shows it."))
        let text = try fixture.run(["hear", "build"]).output
        #expect(text.contains("\nnobody listens. ") && text.contains("\nthen try it:\n"))
        #expect(try fixture.run(["list"]).output.contains("nobody listens"))
        let test = try fixture.run(["test"])
        #expect(test.exitCode == 1 && test.output.contains("nobody listens to build"))
        #expect(!test.output.contains("everything works"))
        #expect(server.end() == 0)
    }

    @Test("Every command takes the name where it takes an id")
    func names() throws {
        let server = try fixture.startInClear()
        let register = ["register", "--app", "telegram", "--account", "build"]
        #expect(try fixture.run(register).exitCode == 0)
        let id = try #require(try hear("build")["id"] as? String)
        let other = try #require(try hear("other")["id"] as? String)
        #expect(try fixture.run(["show", "build"]).output.contains(id), "what hear made is meant")
        #expect(try !fixture.run(["show", "telegram/build"]).output.contains(id))
        #expect(try fixture.run(["rotate", "build"]).output.contains(id))
        #expect(try fixture.run(["pause", "build"]).output.hasPrefix("build is paused"))
        #expect(try fixture.run(["chats", "build"]).output.hasPrefix("build, paused"))
        #expect(try fixture.run(["revoke", "build"]).output == "revoked build\n")
        #expect(try fixture.run(["show", id]).exitCode == 3)
        #expect(try fixture.run(["show", other]).exitCode == 0)
        // The names of others reach nothing; their ids do.
        let phone = try fixture.run(["device", "add", "phone", "--owner", "ann", "--json"])
        let url = try #require(try ServeFixture.object(phone.output)["url"] as? String)
        let secret = try #require(url.split(separator: "/").last)
        let terms = #"{"token_type":10,"app":"script","account":"hers","dialect":"plain"}"#
        let made = try fixture.curl([
            "-H", "Authorization: Bearer \(secret)", "-H", "Content-Type: application/json", "-d",
            terms, "\(server.baseURL)/api/v1/registrations",
        ])
        #expect(made.hasSuffix(" 201"))
        let object = try ServeFixture.object(String(made.dropLast(4)))
        let hers = try #require(object["id"] as? String)
        let refused = try fixture.run(["revoke", "hers"])
        #expect(refused.exitCode != 0 && refused.errors.contains("only other owners have"))
        #expect(refused.errors.contains(hers), "the hint says how")
        #expect(try fixture.run(["revoke", hers]).exitCode == 0)
        let unknown = try fixture.run(["revoke", "nothing"])
        #expect(unknown.exitCode == 3)
        #expect(unknown.errors.contains("there is no registration nothing"))
        #expect(server.end() == 0)
    }

    @Test("An endpoint that takes no unencrypted push is not the one that is printed")
    func others() throws {
        let server = try fixture.startInClear()
        for options in [["--clear", "no"], ["--dialect", "telegram"]] {
            let register = ["register", "--app", "script", "--account", "build"]
            #expect(try fixture.run(register + options).exitCode == 0)
        }
        #expect(try hear("build")["new"] as? Bool == true)
        #expect(try fixture.run(["hear"]).exitCode == 2)
        #expect(try fixture.run(["hear", "a", "b"]).exitCode == 2)
        let long = try fixture.run(["hear", String(repeating: "x", count: 129)])
        #expect(long.exitCode == 3 && long.errors.contains("account must have 1 to 128"))
        #expect(server.end() == 0)
    }

    @Test("An address for a service says where to put it; a name has one format")
    func services() throws {
        let server = try fixture.startInClear()
        let outcome = try fixture.run(["hear", "repository", "--from", "forgejo"])
        #expect(outcome.exitCode == 0 && outcome.output.contains("Settings, Webhooks"))
        #expect(!outcome.output.contains("curl"))
        #expect(try hear("repository", "--from", "github")["new"] as? Bool == false)
        let other = try fixture.run(["hear", "repository"])
        #expect(other.exitCode == 3)
        #expect(other.errors.contains("repository is heard already, in another format"))
        let unknown = try fixture.run(["hear", "x", "--from", "fax"])
        #expect(unknown.exitCode == 2 && unknown.errors.contains("--from takes alertmanager, "))
        #expect(server.end() == 0)
    }

    @Test("Each user has addresses of their own, and an administrator gets nobody else's")
    func users() throws {
        guard geteuid() == 0 else { return }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: fixture.home.path)
        let folder = fixture.home.file("state")
        let server = try fixture.start([
            "--listen", "http://127.0.0.1:0", "--state", folder, "--local-users", "yes",
        ])
        let theirs = try ServeFixture.object(
            try fixture.runAsUser(["hear", "build", "--json"], folder))
        let ours = try hear("build", "--state", folder)
        #expect(ours["new"] as? Bool == true && ours["id"] as? String != theirs["id"] as? String)
        let again = try ServeFixture.object(
            try fixture.runAsUser(["hear", "build", "--json"], folder))
        #expect(again["endpoint"] as? String == theirs["endpoint"] as? String)
        #expect(server.end() == 0)
    }
}
