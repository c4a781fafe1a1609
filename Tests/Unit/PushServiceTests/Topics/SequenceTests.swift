import Base
import Foundation
import Synchronization
import System
import Testing
import Topics

@testable import PushService

@Suite("States of one thing at a topic")
struct SequenceTests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    private func screen(_ topic: String = "t") throws -> EngineViewer {
        try EngineViewer(fixture, bearer: bearer, account: topic, app: AccountName.scripts)
    }

    @Test("A later state changes the notification in place, and both stay in the history")
    func update() throws {
        let first = try fixture.ntfy("POST", "/t", bearer, "10 %")
        let screen = try screen()
        #expect(screen.texts == ["10 %"])
        for (text, path) in [("50 %", "/t/\(first.text("id"))"), ("90 %", "/t")] {
            let answer = try fixture.ntfy(
                "PUT", path, bearer, text, [("X-Sequence-ID", first.text("id"))])
            #expect(answer.text("sequence_id") == first.text("id"))
            try screen.next("updateNotification")
            #expect(screen.texts == [text])
        }
        #expect(screen.appeared.count == 1 && screen.removed.isEmpty)
        #expect(try fixture.history("t").map(\.content.text) == ["10 %", "50 %", "90 %"])
        #expect(Set(try fixture.history("t").map(\.sequence)).count == 1)
    }

    @Test(
        "What is read or gone leaves the screen; only what is gone leaves the history",
        arguments: [
            ("PUT", "/clear"), ("PUT", "/read"), ("GET", "/clear"), ("DELETE", ""),
            ("GET", "/delete"),
        ])
    func end(method: String, rest: String) throws {
        let isClear = rest == "/clear" || rest == "/read"
        for text in ["a", "b"] { _ = try fixture.ntfy("POST", "/t/s", bearer, text) }
        _ = try fixture.ntfy("POST", "/t/other", bearer, "c")
        let screen = try screen()
        let answer = try fixture.ntfy(method, "/t/s\(rest)", bearer)
        #expect(answer.status == 200)
        #expect(answer.text("event") == (isClear ? "message_clear" : "message_delete"))
        #expect(answer.text("sequence_id") == "s" && answer.text("message").isEmpty)
        #expect(try answer.object()["expires"] != nil)
        try screen.settle()
        #expect(screen.texts == ["c"])
        let kept = try fixture.history("t").map { "\($0.content.text)\($0.kind)" }
        #expect(
            kept
                == (isClear
                    ? ["amessage", "bmessage", "cmessage", "clear"] : ["cmessage", "delete"]))
    }

    @Test("Ending needs its right, and what nobody knows is ended all the same")
    func rights() throws {
        #expect(try fixture.ntfy("DELETE", "/t/unknown", bearer).status == 200)
        let other = try fixture.addCredential(owner: "other")
        _ = try fixture.ntfy("POST", "/t/s", bearer, "a")
        #expect(try fixture.ntfy("DELETE", "/t/s", other).status == 200)
        #expect(try fixture.ntfy("DELETE", "/t/s").refusal == 40301)
        #expect(try fixture.history("t").map(\.content.text) == ["", "a"])
    }

    @Test("A delayed message comes when it is due, unless it was replaced or cancelled")
    func scheduled() throws {
        // Each restart is an hour later.
        let hours = Hours()
        let fixture = try PushFixture { plan in
            plan.store = { options in
                let ahead = hours.next()
                options.reading = {
                    var reading = ClockReading.now()
                    reading.boot = nil
                    reading.wall += ahead * 3_600_000
                    return reading
                }
            }
        }
        let bearer = try fixture.addCredential()
        let later = [("X-Delay", "30m")]
        let first = try fixture.ntfy("POST", "/t", bearer, "a", later)
        let time = try #require(try first.object()["time"] as? Int)
        #expect(time > Int(Date().timeIntervalSince1970) + 1_700)
        #expect(try first.object()["expires"] as? Int == time + 30 * 86_400)
        for text in ["b", "c"] { _ = try fixture.ntfy("POST", "/t/s", bearer, text, later) }
        _ = try fixture.ntfy("POST", "/t/ended", bearer, "d", later)
        _ = try fixture.ntfy("DELETE", "/t/ended", bearer)
        _ = try fixture.ntfy("DELETE", "/t/\(first.text("id"))", bearer)
        #expect(try fixture.history("t").map(\.kind) == [.delete, .delete])
        try fixture.restart()
        let deadline = Date(timeIntervalSinceNow: 60)
        while try fixture.history("t").count < 3, Date() < deadline { usleep(5_000) }
        #expect(try fixture.history("t").map(\.content.text) == ["", "", "c"])
        let screen = try EngineViewer(
            fixture, bearer: bearer, account: "t", app: AccountName.scripts)
        #expect(screen.texts == ["c"])
        _ = try fixture.ntfy("POST", "/t/s", bearer, "e")
        try screen.settle()
        #expect(screen.texts == ["e"] && screen.appeared.count == 1)
    }
}

private final class Hours: Sendable {
    private let count = Atomic<Int64>(0)

    func next() -> Int64 { count.add(1, ordering: .relaxed).oldValue }
}
