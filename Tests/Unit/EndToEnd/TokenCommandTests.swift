import Foundation
import TestSupport
import Testing

@Suite("bellwire token")
struct TokenCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func add(_ words: String...) throws -> [String: Any] {
        let outcome = try fixture.run(["token", "add", "--json"] + words)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try ServeFixture.object(outcome.output)
    }

    @Test("A token is printed once, listed with its rights, and removed by name or number")
    func life() throws {
        let server = try fixture.startInClear()
        #expect(try fixture.run(["token", "list"]).output.hasPrefix("no tokens; add one"))
        let text = try fixture.run(["token", "add", "laptop"]).output
        let lines = text.split(separator: "\n")
        #expect(lines[0] == "token laptop; keep it secret, it is shown only once")
        #expect(lines[1].hasPrefix("  tk_") && lines[1].count == 34)
        #expect(lines[2] == "it reads, writes all your topics" && lines.count == 3)
        let nas = try add("nas", "--topic", "backup*", "--write", "--expires", "30d")
        let id = try #require(nas["id"] as? Int)
        let (created, end) = (nas["created"] as? Int ?? 0, nas["expires"] as? Int ?? 0)
        #expect(abs(end - created - 30 * 86_400) <= 2)
        let phone = try add("phone", "--form", "gotify-client", "--read", "--answer")
        #expect((phone["token"] as? String)?.hasPrefix("C") == true)
        let list = try fixture.run(["token", "list"]).output
        #expect(list.contains("  laptop  reads, writes"))
        #expect(list.contains("  nas     writes          backup*  until "))
        #expect(list.contains("  gotify-client, never used") && !list.contains("tk_"))
        #expect(try fixture.run(["device", "list"]).output.hasPrefix("no devices"))
        #expect(try fixture.run(["token", "remove", "\(id)"]).output == "removed nas\n")
        #expect(try fixture.run(["token", "remove", "laptop"]).output == "removed laptop\n")
        let gone = try fixture.run(["token", "remove", "laptop"])
        #expect(gone.exitCode == 3 && gone.errors.contains("there is no token laptop"))
        #expect(server.end() == 0)
    }

    @Test("An application of Gotify is for one topic that is there")
    func application() throws {
        let server = try fixture.startInClear()
        let add = ["token", "add", "app", "--form", "gotify-application"]
        #expect(try fixture.run(add).errors.contains("needs --topic NAME"))
        let unknown = try fixture.run(add + ["--topic", "builds"])
        #expect(unknown.exitCode == 3 && unknown.errors.contains("there is no topic builds"))
        #expect(try fixture.run(["topic", "add", "builds", "--address"]).exitCode == 0)
        let made = try fixture.run(add + ["--topic", "builds"]).output
        #expect(made.contains("\n  A") && made.contains("it writes builds\n"))
        #expect(made.contains("\n  \(server.baseURL)/hooks/slack/A"))
        #expect(made.contains("\n  \(server.baseURL)/hooks/discord/A"))
        for (words, message) in [
            (["--form", "fax"], "--form takes ntfy, "), (["--expires", "soon"], "not a length"),
        ] {
            let refused = try fixture.run(["token", "add", "x"] + words)
            #expect(refused.exitCode == 2 && refused.errors.contains(message), "\(words)")
        }
        let again = try fixture.run(add + ["--topic", "builds"])
        #expect(again.exitCode == 3 && again.errors.contains("a device or a token with that name"))
        #expect(server.end() == 0)
    }

    @Test("Each user has tokens of their own, and only administrators confirm")
    func users() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers()
        _ = try fixture.runAsUser(["token", "add", "theirs"], folder)
        #expect(try fixture.run(["token", "add", "ours", "--state", folder]).exitCode == 0)
        let list = try fixture.runAsUser(["token", "list"], folder)
        #expect(list.contains("  theirs  ") && !list.contains("ours"))
        let refused = try fixture.runAsUser(["token", "confirm", "theirs"], folder)
        #expect(refused.contains("this user has no rights here"))
        let confirmed = try fixture.run(["token", "confirm", "ours", "--state", folder])
        #expect(confirmed.output == "confirmed ours\n")
        let all = try fixture.run(["token", "confirm", "--all", "--state", folder])
        #expect(all.output == "no token waits for confirmation\n")
        #expect(server.end() == 0)
    }
}
