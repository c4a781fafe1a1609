import Testing

@testable import Desktop

@Suite("What is known of a receiver")
struct ReceiverStateTests {
    @Test("It says since when the receiver fails, whatever the reasons are")
    func since() {
        var state = ReceiverState(of: "push.example", at: 100)
        #expect((state.condition, state.since) == (.connecting, 100))
        var news = [
            state.change(to: .unreachable, reason: "no route", at: 101),
            state.change(to: .unreachable, reason: "no route", at: 102),
            state.change(to: .untrusted, reason: "unknown authority", at: 103),
        ]
        #expect(news == [true, false, true])
        #expect((state.since, state.reason) == (101, "unknown authority"))
        news = [state.change(to: .connected, at: 104)]
        #expect((state.since, state.reason) == (104, ""))
        news.append(state.change(to: .idle, at: 105))
        news.append(state.change(to: .refused, reason: "status 401", at: 106))
        #expect(news == [true, true, true] && state.since == 106)
    }
}
