import Foundation
import TestSupport
import Testing

@Suite("bellwire account: chats, muting and pausing")
struct AccountCommandTests {
    private let fixture: ServeFixture
    private let server: ServerProcess
    private let path: String

    init() throws {
        fixture = try ServeFixture()
        server = try fixture.startInClear()
        let made = try fixture.run(
            ["register", "--app", "telegram", "--account", "me", "--json"])
        path = try fixture.subscription(ServeFixture.object(made.output))
    }

    /// From a private chat, or from a group.
    private func push(_ name: String, _ chat: Int, _ text: String, id: Int) throws {
        let (key, peer, names) =
            chat > 0
            ? ("MESSAGE_TEXT", #""from_id":"\#(chat)""#, #""\#(name)""#)
            : (
                "CHAT_MESSAGE_TEXT", #""chat_id":"\#(-chat)","chat_from_id":"7""#,
                #""Eve","\#(name)""#
            )
        let payload =
            #"{"loc_key":"\#(key)","loc_args":[\#(names),"\#(text)"],"custom":{\#(peer),"msg_id":"\#(id)"}}"#
        #expect(try fixture.run(["send", "--to", path, payload]).exitCode == 0)
    }

    private func chats() throws -> String {
        let outcome = try fixture.run(["account", "list"])
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
        return outcome.output
    }

    @Test("list names all chats; mute and unmute take a number or a title")
    func mute() throws {
        #expect(try chats().contains("telegram/me: no chats yet"))
        try push("Ada", 5, "one", id: 1)
        try push("Adam", 6, "two", id: 1)
        try push("Ärger & Söhne", -77, "three", id: 1)
        let listed = try chats()
        #expect(listed.hasPrefix("telegram/me\n"))
        for line in [
            "  5    Ada ", "  6    Adam ", "  -77  Ärger & Söhne  group    1 notification",
        ] {
            #expect(listed.contains(line), "\(listed)")
        }
        #expect(!listed.contains("muted"))
        let muted = try fixture.run(["account", "mute", "ada"])
        #expect(muted.output == "Ada is muted for good\n" && muted.exitCode == 0)
        #expect(
            try fixture.run(["account", "mute", "-77", "--for", "2h"]).output.contains(
                "is muted until "))
        #expect(try chats().contains("muted for good"))
        #expect(try chats().contains("muted until 20"))
        // Further messages of the chat do not come up; those of others do.
        try push("Ada", 5, "unheard", id: 2)
        try push("Adam", 6, "heard", id: 2)
        let shown = try fixture.run(["account", "list", "--json"]).output
        let accounts = try #require(
            try ServeFixture.object(shown)["accounts"] as? [[String: Any]])
        let list = try #require(accounts.first?["chats"] as? [[String: Any]])
        let counts = list.map { ($0["title"] as? String ?? "", $0["notifications"] as? Int) }
        #expect(counts.first { $0.0 == "Ada" }?.1 == 1)
        #expect(counts.first { $0.0 == "Adam" }?.1 == 2)
        #expect(try fixture.run(["account", "unmute", "5"]).output == "Ada is not muted\n")
        try push("Ada", 5, "heard again", id: 3)
        #expect(try !chats().contains("for good"))
        #expect(try chats().contains("5    Ada            private  2 notifications"))
        #expect(server.end() == 0)
    }

    @Test("Muting and pausing survive a kill of the server")
    func kept() throws {
        try push("Ada", 5, "one", id: 1)
        #expect(try fixture.run(["account", "mute", "Ada"]).exitCode == 0)
        let paused = try fixture.run(["account", "pause", "--for", "30m"])
        #expect(paused.output.hasPrefix("telegram/me is paused until 20") && paused.exitCode == 0)
        _ = server.end(by: SIGKILL)
        let next = try fixture.start(["--listen", "http://127.0.0.1:\(server.port)"])
        #expect(try chats().contains("telegram/me, paused until 20"))
        #expect(try chats().contains("muted for good"))
        #expect(
            try fixture.run(["account", "unpause", "me"]).output == "telegram/me is not paused\n")
        #expect(try !chats().contains("paused"))
        let json = try fixture.run(["account", "pause", "telegram/me", "--json"]).output
        #expect(json == #"{"app":"telegram","account":"me","paused":true}"# + "\n")
        #expect(try chats().contains("paused for good"))
        #expect(next.end() == 0)
    }

    @Test("An unknown or ambiguous chat gives an error and a hint")
    func mistakes() throws {
        try push("Ada", 5, "one", id: 1)
        try push("Adam", 6, "two", id: 1)
        func refusal(_ words: String..., code: Int32 = 2) throws -> String {
            let outcome = try fixture.run(words)
            #expect(outcome.exitCode == code && outcome.output.isEmpty, "\(words)")
            return outcome.errors
        }
        #expect(try refusal("account", "mute", "ad").contains("2 chats match: "))
        #expect(
            try refusal("account", "mute", "Bob", code: 3).contains(
                "no chat has a title that begins"))
        #expect(
            try refusal("account", "mute", "", code: 3).contains("hint: run bellwire account list"))
        #expect(try refusal("account", "mute").contains("use account mute CHAT"))
        for time in ["2", "0s", "-1h", "h", "two hours", "9223372036854775807w", "٣h"] {
            #expect(
                try refusal("account", "mute", "Ada", "--for=\(time)").contains("write 90s")
                    || time.hasSuffix("w"))
        }
        #expect(try refusal("account", "mute", "Ada", "--for", "367d").contains("too long"))
        #expect(
            try refusal("account", "list", "nobody", code: 3).contains("there is no account nobody")
        )
        #expect(
            try fixture.run(["register", "--app", "matrix", "--account", "me"]).exitCode == 0)
        #expect(try refusal("account", "pause").contains("matrix/me, telegram/me"))
        #expect(try refusal("account", "pause", "me").contains("several applications"))
        #expect(
            try refusal("account", "mute", "Ada", "--account", "matrix/me", code: 3).contains(
                "no chat"))
        #expect(
            try fixture.run(["account", "mute", "Adam"]).exitCode == 0, "it is in one account only")
        #expect(server.end() == 0)
        #expect(try refusal("account", "list", code: 4).contains("no server answers"))
    }

    @Test("Listing chats takes nothing from the application")
    func looksOnly() throws {
        try push("Ada", 5, "one", id: 1)
        _ = try chats()
        let pending = try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-m", "10", "--unix-socket", fixture.state + "/control.sock",
                "http://localhost/api/v1/registrations",
            ])
        let list = try #require(
            try ServeFixture.object(pending)["registrations"] as? [[String: Any]])
        let id = try #require(list.first?["id"] as? String)
        let waiting = try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-m", "10", "--unix-socket", fixture.state + "/control.sock",
                "http://localhost/api/v1/pending?registration=\(id)",
            ])
        let messages = try ServeFixture.object(waiting)["messages"] as? [Any]
        #expect(messages?.count == 1)
        #expect(server.end() == 0)
    }
}
