import Base
import Foundation
import TestSupport
import Testing

@testable import bellwire

@Suite("bellwire ask")
struct AskCommandTests {
    private let fixture: ServeFixture
    private let server: ServerProcess

    init() throws {
        fixture = try ServeFixture()
        server = try fixture.startInClear()
        #expect(try fixture.run(["topic", "add", "t", "--address"]).exitCode == 0)
    }

    private func start(_ words: [String]) throws -> RunningProcess {
        try RunningProcess(
            Program.path, ["ask", "t", "Deploy?"] + words, environment: fixture.environment,
            errors: .withOutput)
    }

    private func token(_ words: String...) throws -> String {
        let made = try fixture.run(["token", "add", UUID().uuidString, "--json"] + words)
        return try #require(try ServeFixture.object(made.output)["token"] as? String)
    }

    /// Waits for the question, and answers it as somebody with the right to.
    private func answer(_ word: String, _ token: String) throws {
        let authorization = ["-H", "Authorization: Bearer \(token)"]
        var id = ""
        for _ in 0..<500 where id.isEmpty {
            let kept = try fixture.curl(authorization + ["\(server.baseURL)/t/json?poll=1"])
            let open = kept.split(separator: "\n").compactMap { line in
                try? ServeFixture.object(String(line))
            }.last { $0["actions"] != nil && $0["sequence_id"] == nil }
            id = open?["id"] as? String ?? ""
            if id.isEmpty { usleep(20_000) }
        }
        let path = "\(server.baseURL)/v1/questions/\(id)"
        let shown = try fixture.curl(authorization + [path])
        let number = try ServeFixture.object(String(shown.dropLast(4)))["number"] as? String
        let body = #"{"answer":"\#(word)","number":"\#(number ?? "")"}"#
        let answered = try fixture.curl(authorization + ["-d", body, path + "/answer"])
        #expect(answered.hasSuffix(" 200"), "\(answered)")
    }

    @Test(
        "It prints the answer; the first one that it names is success",
        arguments: [("yes", 0 as Int32), ("no", 1)])
    func answered(word: String, code: Int32) throws {
        let ask = try start(["--answer", "yes", "--answer", "no", "--wait", "1m"])
        try answer(word, try token("--read", "--answer"))
        #expect(try ask.text() == word + "\n")
        #expect(ask.wait() == code)
        #expect(server.end() == 0)
    }

    @Test("Nobody answers: 3; it is interrupted, and takes its question back: 4")
    func ended() throws {
        let expired = try start(["--answer", "yes", "--wait", "1s"])
        #expect(try expired.text().isEmpty && expired.wait() == 3)
        for number in [SIGINT, SIGTERM] {
            let ask = try start(["--answer", "yes", "--key", "k\(number)"])
            let reader = try token("--read")
            while try !fixture.curl(
                ["-H", "Authorization: Bearer \(reader)", "\(server.baseURL)/t/json?poll=1"]
            ).contains("Show the question") { usleep(20_000) }
            #expect(ask.end(by: number) == 4)
            let again = try start(["--answer", "yes", "--key", "k\(number)"])
            #expect(try again.text().isEmpty && again.wait() == 4)
        }
        #expect(server.end() == 0)
    }

    @Test("A kill of the server loses nothing; without one the command ends with 5")
    func killed() throws {
        let ask = try start(["--answer", "yes", "--wait", "2m"])
        let answerer = try token("--read", "--answer")
        _ = server.end(by: SIGKILL)
        let again = try fixture.start(["--listen", "http://127.0.0.1:\(server.port)"])
        try answer("yes", answerer)
        #expect(try ask.text().hasSuffix("yes\n") && ask.wait() == 0)
        let last = try start(["--answer", "yes", "--wait", "2s"])
        _ = again.end(by: SIGKILL)
        #expect(try last.text().contains("not reached in time") && last.wait() == 5)
    }

    @Test("A server that is not there yet is awaited, and without one the command ends with 5")
    func awaited() throws {
        let answerer = try token("--read", "--answer")
        #expect(server.end() == 0)
        let last = try start(["--answer", "yes", "--wait", "1s"])
        let said = try last.text()
        #expect(said.contains("control.sock") && said.contains("not reached in time"), "\(said)")
        #expect(last.wait() == 5)
        let ask = try start(["--answer", "yes", "--wait", "2m"])
        usleep(500_000)
        let again = try fixture.start(["--listen", "http://127.0.0.1:\(server.port)"])
        try answer("yes", answerer)
        #expect(try ask.text().hasSuffix("yes\n") && ask.wait() == 0)
        #expect(again.end() == 0)
    }

    @Test("What is asked stays at its server, also if another one comes")
    func place() throws {
        let folder = fixture.home.file("none")
        let place = try AskPlace(
            Arguments(["t", "Deploy?", "--answer", "a", "--state", folder], for: .ask))
        var asked = try place.asking(
            AskWish(Arguments(["t", "Deploy?", "--answer", "a"], for: .ask)))
        #expect(asked.unixSocket == folder + "/control.sock")
        asked.unixSocket = "/other/control.sock"
        let known = place.staying(after: asked)
        #expect(try known.waiting(for: "x", 1).unixSocket == "/other/control.sock")
        #expect(try known.withdrawal(of: "x").unixSocket == "/other/control.sock")
        #expect(server.end() == 0)
    }

    @Test("At an address it asks with a token; what it may not ask ends with 4")
    func address() throws {
        let file = fixture.home.file("token")
        func write(_ token: String) throws {
            try Data((token + "\n").utf8).write(to: URL(filePath: file))
            chmod(file, 0o600)
        }
        try write(try token("--write"))
        let words = ["ask", "\(server.baseURL)/t", "Deploy?", "--token", file, "--answer", "a b"]
        let ask = try RunningProcess(Program.path, words, environment: fixture.environment)
        try answer("a b", try token("--read", "--answer"))
        #expect(try ask.text() == "a b\n" && ask.wait() == 0)
        try write(try token("--read"))
        #expect(try fixture.run(words).exitCode == 4)
        #expect(try fixture.run(["ask", "none", "Deploy?", "--answer", "a"]).exitCode == 4)
        #expect(try fixture.run(["ask", "t", "x", "--answer", "\u{1b}[2J"]).exitCode == 4)
        for wrong in [
            ["ask", "t"], ["ask", "t", "x"], ["ask", "t", "x", "--answer", "a", "--wait", "2h"],
            ["ask", "http://a/t", "x", "--text"],
        ] {
            #expect(try fixture.run(wrong).exitCode == 2, "\(wrong)")
        }
        #expect(server.end() == 0)
    }
}
