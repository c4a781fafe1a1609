import Foundation
import TestSupport
import Testing

@Suite("bellwire topic")
struct TopicCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func add(_ name: String, _ options: String...) throws -> [String: Any] {
        let outcome = try fixture.run(["topic", "add", name, "--json"] + options)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try ServeFixture.object(outcome.output)
    }

    @Test("The line that it prints pushes, over TLS and without anything to install")
    func printed() throws {
        let server = try fixture.start()
        let outcome = try fixture.run(["topic", "add", "the build"])
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
        #expect(
            try fixture.run(["registration", "list"]).output.contains(
                "  script  the build  type 10  topic"))
        #expect(server.end() == 0)
    }

    @Test("A name has one address, until it is rotated or revoked")
    func again() throws {
        let server = try fixture.startInClear()
        let first = try add("build")
        #expect(first["new"] as? Bool == true && first["name"] as? String == "build")
        let again = try add("build")
        #expect(again["new"] as? Bool == false)
        #expect(again["endpoint"] as? String == first["endpoint"] as? String)
        #expect(try add("other")["endpoint"] as? String != first["endpoint"] as? String)
        let id = try #require(first["id"] as? String)
        #expect(try fixture.run(["registration", "rotate", id]).exitCode == 0)
        let rotated = try add("build")
        #expect(rotated["id"] as? String == id)
        #expect(rotated["endpoint"] as? String != first["endpoint"] as? String)
        #expect(try fixture.run(["registration", "revoke", id]).exitCode == 0)
        #expect(try add("build")["new"] as? Bool == true)
        #expect(server.end() == 0)
    }

    @Test("--address prints only the address, and says elsewhere that nobody listens")
    func address() throws {
        let server = try fixture.startInClear()
        let outcome = try fixture.run(["topic", "add", "build", "--address"])
        #expect(outcome.output == "\(try #require(try add("build")["endpoint"] as? String))\n")
        #expect(outcome.errors.hasPrefix("bellwire: nobody listens. No screen shows it."))
        let text = try fixture.run(["topic", "add", "build"]).output
        #expect(text.contains("\nnobody listens. ") && text.contains("\nthen try it:\n"))
        #expect(try fixture.run(["registration", "list"]).output.contains("nobody listens"))
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
        let id = try #require(try add("build")["id"] as? String)
        let other = try #require(try add("other")["id"] as? String)
        #expect(
            try fixture.run(["registration", "show", "build"]).output.contains(id),
            "the topic is meant")
        #expect(try !fixture.run(["registration", "show", "telegram/build"]).output.contains(id))
        #expect(try fixture.run(["registration", "rotate", "build"]).output.contains(id))
        #expect(try fixture.run(["account", "pause", "build"]).output.hasPrefix("build is paused"))
        #expect(try fixture.run(["account", "list", "build"]).output.hasPrefix("build, paused"))
        #expect(try fixture.run(["registration", "revoke", "build"]).output == "revoked build\n")
        #expect(try fixture.run(["registration", "show", id]).exitCode == 3)
        #expect(try fixture.run(["registration", "show", other]).exitCode == 0)
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
        let refused = try fixture.run(["registration", "revoke", "hers"])
        #expect(refused.exitCode != 0 && refused.errors.contains("only other owners have"))
        #expect(refused.errors.contains(hers), "the hint says how")
        #expect(try fixture.run(["registration", "revoke", hers]).exitCode == 0)
        let unknown = try fixture.run(["registration", "revoke", "nothing"])
        #expect(unknown.exitCode == 3)
        #expect(unknown.errors.contains("there is no registration nothing"))
        #expect(server.end() == 0)
    }

    @Test("Topics are listed, shown, rotated and removed by name, and registrations are no topics")
    func verbs() throws {
        let server = try fixture.startInClear()
        #expect(try fixture.run(["topic", "list"]).output.hasPrefix("no topics; make one"))
        let register = ["register", "--app", "telegram", "--account", "me", "--json"]
        let other = try ServeFixture.object(try fixture.run(register).output)
        let otherID = try #require(other["id"] as? String)
        let first = try add("build")
        let id = try #require(first["id"] as? String)
        _ = try add("code", "--from", "forgejo")
        let list = try fixture.run(["topic", "list"]).output
        #expect(
            list.hasPrefix("\(id)  build  plain     keeps what comes  nobody listens\n")
                && list.contains("  code   github    keeps"))
        #expect(list.split(separator: "\n").count == 2 && list.contains("nobody listens"))
        let json = try ServeFixture.object(try fixture.run(["topic", "list", "--json"]).output)
        let topics = try #require(json["topics"] as? [[String: Any]])
        #expect(topics.map { $0["account"] as? String } == ["build", "code"])
        #expect(try fixture.run(["topic", "show", "build"]).output.contains(id))
        #expect(try fixture.run(["topic", "show", id]).exitCode == 0)
        for name in ["me", otherID] {
            for verb in ["show", "rotate", "remove"] {
                let refused = try fixture.run(["topic", verb, name])
                #expect(refused.exitCode == 3 && refused.output.isEmpty)
                #expect(refused.errors.contains("there is no topic \(name)"), "\(verb)")
            }
        }
        let rotated = try fixture.run(["topic", "rotate", "build", "--json"])
        let second = try ServeFixture.object(rotated.output)
        #expect(second["id"] as? String == id && second["name"] as? String == "build")
        #expect(second["endpoint"] as? String != first["endpoint"] as? String)
        let third = try fixture.run(["topic", "rotate", "code"]).output
        #expect(third.contains("Settings, Webhooks"))
        let line = try fixture.run(["topic", "rotate", "build", "--address"]).output
        #expect(line == "\(try #require(try add("build")["endpoint"] as? String))\n")
        #expect(try fixture.run(["topic", "remove", "build"]).output == "removed build\n")
        #expect(try fixture.run(["topic", "remove", "code", "--json"]).output.isEmpty)
        #expect(try fixture.run(["topic", "list"]).output.hasPrefix("no topics"))
        #expect(try fixture.run(["registration", "show", otherID]).exitCode == 0)
        #expect(server.end() == 0)
    }

    @Test("A new topic has a short address and a token for it, which is shown once")
    func token() throws {
        let server = try fixture.startInClear()
        let text = try fixture.run(["topic", "add", "builds"]).output
        let address = "\(server.baseURL)/builds"
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains(address))
        let token = try #require(lines.first { $0.hasPrefix("tk_") })
        #expect(lines.contains("programs on this machine need no token to push there"))
        #expect(lines.contains("ntfy publish --token \(token) \(address) \"the build is green\""))
        let rest = address.dropFirst("http://".count)
        #expect(lines.contains("apprise -b \"the build is green\" ntfy://me:\(token)@\(rest)"))
        #expect(lines.contains("it keeps what comes; to read it: bellwire messages builds"))
        for line in lines where line.hasPrefix("curl ") {
            #expect(line == "curl -d \"the build is green\" \(address)")
            #expect(try fixture.curl(["-d", "the build is green", address]).hasSuffix(" 200"))
        }
        let bearer = [
            "-H", "Authorization: Bearer \(token)", "-H", "Origin: https://other.example",
        ]
        #expect(try fixture.curl(bearer + ["-d", "again", address]).hasSuffix(" 200"))
        #expect(
            try fixture.curl(Array(bearer.dropFirst(2)) + ["-d", "not", address]).hasSuffix(" 403"))
        let messages = try fixture.run(["messages", "builds"]).output
        #expect(
            messages.split(separator: "\n").map { $0.dropFirst(18) } == [
                "the build is green", "again",
            ])
        let tokens = try fixture.run(["token", "list"]).output
        #expect(
            tokens.contains("  topic:builds  reads, writes  builds  ") && !tokens.contains("tk_"))
        let again = try fixture.run(["topic", "add", "builds"]).output
        #expect(!again.contains("tk_") && again.contains("bellwire token add"))
        #expect(try !fixture.run(["topic", "show", "builds"]).output.contains("tk_"))
        let json = try add("other")
        #expect((json["token"] as? String)?.hasPrefix("tk_") == true)
        for arguments in [["nightly build"], ["api"], ["code", "--from", "github"]] {
            let said = try fixture.run(["topic", "add"] + arguments).output
            #expect(!said.contains("tk_") && said.contains("; keep it secret:"), "\(arguments)")
        }
        #expect(try fixture.run(["topic", "add", "quiet", "--address"]).exitCode == 0)
        #expect(try fixture.run(["topic", "remove", "builds"]).exitCode == 0)
        let left = try fixture.run(["token", "list"]).output
        #expect(left.contains("topic:other") && left.split(separator: "\n").count == 1)
        #expect(server.end() == 0)
    }

    @Test(
        "A topic is opened, has secret addresses, and keeps what it is told; all of it can change")
    func reach() throws {
        let server = try fixture.startInClear()
        func details(_ options: String...) throws -> [String: Any] {
            let outcome = try fixture.run(["topic", "add", "builds", "--json"] + options)
            let object = try ServeFixture.object(outcome.output)
            return try #require(object["topic"] as? [String: Any])
        }
        let first = try details("--secret=read", "--keep", "7d")
        let secret = try #require(first["secret_address"] as? String)
        let reading = try #require(first["reading_address"] as? String)
        #expect(secret.hasPrefix("\(server.baseURL)/s_") && secret != reading)
        #expect(first["keep"] as? Int == 604_800 && first["open"] == nil)
        let same = try details()
        #expect(same["secret"] as? Bool == true && same["secret_address"] == nil)
        let open = try details("--open", "--keep", "off")
        #expect(open["open"] as? Bool == true && open["secret_read"] as? Bool == true)
        #expect(open["keep"] as? Int == 0)
        #expect(
            try fixture.run(["topic", "list"]).output.contains(
                "  open, secret, secret to read  keeps nothing  "))
        let said = try fixture.run(["topic", "add", "builds"]).output
        #expect(said.contains("everybody who reaches the server may push there without a token"))
        #expect(said.contains("it keeps nothing\n"))
        let pictured = try details("--pictures", "off")
        #expect(pictured["pictures"] as? String == "off" && pictured["open"] as? Bool == true)
        #expect(try fixture.run(["topic", "list"]).output.contains(", linked pictures: off  "))
        #expect(try details("--pictures", "own")["pictures"] == nil)
        let named = try details("--title", "Nightly", "--description", "of the server")
        let application = try #require(named["application"] as? [String: Any])
        #expect(application["name"] as? String == "Nightly")
        #expect(application["description"] as? String == "of the server")
        #expect(named["open"] as? Bool == true && named["keep"] as? Int == 0)
        let shown = try fixture.run(["topic", "show", "builds"]).output
        #expect(shown.contains("Nightly") && shown.contains("of the server"))
        let again = try details("--title", "", "--keep", "off")["application"] as? [String: Any]
        #expect(again?["name"] == nil)
        #expect(again?["description"] as? String == "of the server")
        #expect(try details("--description", "")["application"] == nil)
        let rotated = try fixture.run(["topic", "rotate", "builds"]).output
        #expect(rotated.contains("may push there:\n  \(server.baseURL)/s_"))
        #expect(rotated.contains("may read there:\n  \(server.baseURL)/s_"))
        #expect(!rotated.contains(secret) && !rotated.contains(reading))
        let closed = try details("--private", "--keep", "default")
        #expect(Set(closed.keys) == ["address", "local"])
        for (options, message) in [
            (["--private", "--open"], "--private ends what"), (["--keep", "x"], "not a length"),
            (["--secret=write"], "--secret takes no value but read"), (["--open=1"], "no value"),
            (["--pictures", "some"], "--pictures takes own, all or off"),
        ] {
            let refused = try fixture.run(["topic", "add", "builds"] + options)
            #expect(refused.exitCode == 2 && refused.errors.contains(message), "\(options)")
        }
        let long = try fixture.run(["topic", "add", "nightly build", "--open"])
        #expect(long.exitCode == 3 && long.errors.contains("can be open or secret"))
        #expect(server.end() == 0)
    }

    @Test("An endpoint that takes no unencrypted push is not the one that is printed")
    func others() throws {
        let server = try fixture.startInClear()
        for options in [["--clear", "no"], ["--dialect", "telegram"]] {
            let register = ["register", "--app", "script", "--account", "build"]
            #expect(try fixture.run(register + options).exitCode == 0)
        }
        #expect(try add("build")["new"] as? Bool == true)
        #expect(try fixture.run(["topic", "add"]).exitCode == 2)
        #expect(try fixture.run(["topic", "add", "a", "b"]).exitCode == 2)
        let long = try fixture.run(["topic", "add", String(repeating: "x", count: 129)])
        #expect(long.exitCode == 3 && long.errors.contains("account must have 1 to 128"))
        #expect(server.end() == 0)
    }

    @Test("What is closed on one screen stays on the others, if a topic says so")
    func dismissal() throws {
        let server = try fixture.startInClear()
        let words = "what you close on one screen stays on the others"
        #expect(try !fixture.run(["topic", "add", "build"]).output.contains(words))
        let here = try fixture.run(["topic", "add", "build", "--dismiss", "here", "--keep", "7d"])
        #expect(here.exitCode == 0 && here.output.contains("\n\(words)\n"))
        #expect(try fixture.run(["topic", "show", "build"]).output.contains(words))
        // What is not said stays as it is.
        let topic = try add("build", "--keep", "default")["topic"] as? [String: Any]
        #expect(topic?["dismiss"] as? String == "here" && topic?["keep"] == nil)
        let again = try add("build", "--dismiss", "everywhere")["topic"] as? [String: Any]
        #expect(again?["dismiss"] == nil)
        let unknown = try fixture.run(["topic", "add", "build", "--dismiss", "never"])
        #expect(unknown.exitCode == 2)
        #expect(unknown.errors.contains("--dismiss takes everywhere or here"))
        #expect(server.end() == 0)
    }

    @Test("An address for a service says where to put it; a name has one format")
    func services() throws {
        let server = try fixture.startInClear()
        let outcome = try fixture.run(["topic", "add", "repository", "--from", "forgejo"])
        #expect(outcome.exitCode == 0 && outcome.output.contains("Settings, Webhooks"))
        #expect(!outcome.output.contains("curl"))
        #expect(try add("repository", "--from", "github")["new"] as? Bool == false)
        let other = try fixture.run(["topic", "add", "repository"])
        #expect(other.exitCode == 3)
        #expect(other.errors.contains("repository is heard already, in another format"))
        let unknown = try fixture.run(["topic", "add", "x", "--from", "fax"])
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
            try fixture.runAsUser(["topic", "add", "build", "--json"], folder))
        let ours = try add("build", "--state", folder)
        #expect(ours["new"] as? Bool == true && ours["id"] as? String != theirs["id"] as? String)
        let again = try ServeFixture.object(
            try fixture.runAsUser(["topic", "add", "build", "--json"], folder))
        #expect(again["endpoint"] as? String == theirs["endpoint"] as? String)
        #expect(server.end() == 0)
    }
}
