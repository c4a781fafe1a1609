import Foundation
import HookSupport
import TestSupport
import Testing

@testable import bellwire

@Suite("Progress of long work")
struct ProgressTests {
    @Test("A bar says each percent once, and is one line")
    func bar() {
        let progress = Progress(.bar)
        func text(_ done: Int) -> String? { progress.text("sealing", at: done, of: 1_000) }
        let start = text(0)
        #expect(start?.hasSuffix("sealing [" + String(repeating: "-", count: 30) + "] 0 %") == true)
        #expect(text(9) == nil)
        #expect(text(500)?.contains("[###############---------------] 50 %") == true)
        #expect(text(.max)?.hasSuffix("] 100 %") == true)
        #expect(start?.contains("\n") == false)
    }

    @Test("Elsewhere there is a line for each tenth, or a line of JSON for each percent")
    func lines() throws {
        let progress = Progress(.lines)
        #expect((0...50).compactMap { progress.text("sealing", at: $0, of: 50) }.count == 11)
        let json = Progress(.json)
        let lines = (0...50).compactMap { json.text("sealing", at: $0, of: 50) }
        #expect(lines.count == 51)
        let last = try ServeFixture.object(try #require(lines.last))
        #expect(last["event"] as? String == "progress" && last["step"] as? String == "sealing")
        #expect(last["done"] as? Int == 50 && last["total"] as? Int == 50)
        #expect(last["percent"] as? Int == 100)
    }

    @Test("The next step of the work is said, even at the same percent")
    func steps() {
        let progress = Progress(.lines)
        #expect(progress.text("copying", at: 5, of: 5) == "copying: 100 %\n")
        #expect(progress.text("copying", at: 5, of: 5) == nil)
        #expect(progress.text("checking", at: 5, of: 5) == "checking: 100 %\n")
    }

    @Test("Work of no size is done at once")
    func nothing() {
        #expect(Progress(.lines).text("x", at: 0, of: 0) == "x: 100 %\n")
    }
}

@Suite("bellwire keys rotate-master: its progress")
struct MasterKeyProgressTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    @Test("It returns when everything is sealed under the new key")
    func followed() throws {
        let server = try fixture.startInClear()
        for number in 0..<5 {
            let words = ["register", "--app", "test", "--account", "\(number)"]
            #expect(try fixture.run(words).exitCode == 0)
        }
        let outcome = try fixture.run(["keys", "rotate-master"])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("is in use; the server is sealing old data again\n"))
        #expect(server.hasSaid("event=store-resealed"))
        let json = try fixture.run(["keys", "rotate-master", "--json"])
        for line in json.output.split(separator: "\n") { _ = try ServeFixture.object(String(line)) }
        #expect(server.end() == 0)
    }

    @Test("Interrupted, it says that the server goes on", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let server = try HookServer(at: .unix(path: folder.file("control.sock")))
        server.reply { _ in
            let answer = #"{"id":"new","sealing":true,"done":5,"total":10}"#
            return HookAnswer(body: Array(answer.utf8))
        }
        let command = try RunningProcess(
            Program.path, ["keys", "rotate-master", "--state", folder.path], errors: .apart)
        #expect(server.requests(3).count >= 3)
        #expect(command.end(by: signal) == 0)
        let said = String(decoding: try command.errors.readToEnd() ?? Data(), as: UTF8.self)
        #expect(said == "sealing: 50 %\nbellwire: the server goes on sealing by itself\n")
    }
}
