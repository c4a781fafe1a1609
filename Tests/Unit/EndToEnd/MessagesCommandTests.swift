import Base
import Foundation
import TestSupport
import Testing

@testable import bellwire

@Suite("bellwire messages")
struct MessagesCommandTests {
    private static let now = 1_795_950_000

    @Test("A time is a length, a date, an hour of today, a number or an id")
    func times() throws {
        func word(_ text: String) throws -> String { try MessageTime.word(text, now: Self.now) }
        #expect(try word("2h") == "\(Self.now - 7_200)")
        #expect(try word("1795950000") == "1795950000")
        #expect(
            try word("AbCdEf012345") == "AbCdEf012345" && word("123456789012") == "123456789012")
        let day = String(LocalTime.text(Self.now).prefix(10))
        let midnight = try #require(Int(try word(day)))
        #expect(LocalTime.text(midnight) == "\(day) 00:00")
        #expect(try LocalTime.text(Int(word("\(day) 08:30")) ?? 0) == "\(day) 08:30")
        #expect(try word("08:30") == word("\(day) 08:30"))
        for wrong in ["", "soon", "2026-13-01", "8:30x", "-1h", "tomorrow"] {
            #expect(throws: CommandError.self, "\(wrong)") { try word(wrong) }
        }
    }

    @Test("A message is a line; JSON is printed unchanged")
    func lines() throws {
        let json =
            #"{"id":"x","time":0,"event":"message","topic":"builds","title":"A\u001b[2J","#
            + #""message":"one\ntwo","tags":["tada","x"]}"#
        let message = try #require(JSONNode(json: Array(json.utf8)))
        let time = LocalTime.text(0)
        func line(_ names: Bool) -> String {
            MessagePrinter(printsJSON: false, namesTopic: names).line(message)
        }
        #expect(line(true) == "\(time)  builds  A\\u{1b}[2J: one two  (tada, x)")
        #expect(line(false) == "\(time)  A\\u{1b}[2J: one two  (tada, x)")
        let other = try #require(JSONNode(json: Array(#"{"event":"message_delete"}"#.utf8)))
        #expect(MessagePrinter(printsJSON: false, namesTopic: true).line(other).isEmpty)
    }

    @Test("Without messages nothing is printed; an unknown topic and wrong options are refused")
    func refused() throws {
        let fixture = try ServeFixture()
        let server = try fixture.startInClear()
        #expect(try fixture.run(["messages"]).output.isEmpty)
        #expect(try fixture.run(["topic", "add", "builds", "--address"]).exitCode == 0)
        let none = try fixture.run(["messages", "builds", "--json", "--search", "x y"])
        #expect(none.exitCode == 0 && none.output.isEmpty)
        let unknown = try fixture.run(["messages", "other"])
        #expect(unknown.exitCode == 3)
        for (words, message) in [
            (["--since", "soon"], "is no time and no id"),
            (["--limit", "0"], "--limit takes 1 to"),
        ] {
            let wrong = try fixture.run(["messages"] + words)
            #expect(wrong.exitCode == 2 && wrong.errors.contains(message), "\(words)")
        }
        #expect(server.end() == 0)
    }

    @Test(
        "What came is listed, searched, and followed beyond a kill of the server",
        .timeLimit(.minutes(2)))
    func followed() throws {
        let fixture = try ServeFixture()
        var server = try fixture.startInClear()
        func push(_ text: String, _ topic: String = "builds") throws {
            let answer = try fixture.curl(["-d", text, "\(server.baseURL)/\(topic)"])
            #expect(answer.hasSuffix(" 200"), "\(answer)")
        }
        for number in 1...25 { try push("number \(number)") }
        try push("the disk is full", "nas")
        func texts(_ words: String...) throws -> [Substring] {
            let output = try fixture.run(["messages"] + words).output
            return output.split(separator: "\n").map { $0.dropFirst(18) }
        }
        #expect(try texts("builds", "--limit", "2") == ["number 24", "number 25"])
        #expect(try texts().count == 20 && texts().last == "nas  the disk is full")
        #expect(try texts("--search", "FULL disk") == ["nas  the disk is full"])
        #expect(try texts("--since", "1h").count == 26)
        let json = try fixture.run(["messages", "nas", "--json"]).output
        let message = try ServeFixture.object(json)
        #expect(message["message"] as? String == "the disk is full")
        let id = try #require(message["id"] as? String)
        #expect(try texts("--since", id).isEmpty)
        let follower = try RunningProcess(
            Program.path, ["messages", "--since", id, "--follow"],
            environment: fixture.environment)
        var lines = FollowedLines(follower)
        try push("first")
        #expect(lines.next().hasSuffix("  builds  first"))
        try push("of a new topic", "new")
        #expect(lines.next().hasSuffix("  new  of a new topic"))
        _ = server.end(by: SIGKILL)
        server = try fixture.start(["--listen", "http://127.0.0.1:\(server.port)"])
        try push("back")
        #expect(lines.next().hasSuffix("  builds  back"))
        follower.end(by: SIGTERM)
        #expect(server.end() == 0)
    }
}

/// Lines of a program that goes on.
private struct FollowedLines {
    private let process: RunningProcess
    private var rest = ""

    init(_ process: RunningProcess) { self.process = process }

    /// The test's time limit ends the wait.
    mutating func next() -> String {
        while true {
            if let end = rest.firstIndex(of: "\n") {
                defer { rest = String(rest[rest.index(after: end)...]) }
                return String(rest[..<end])
            }
            let data = process.output.availableData
            guard !data.isEmpty else { return "" }
            rest += String(decoding: data, as: UTF8.self)
        }
    }
}
