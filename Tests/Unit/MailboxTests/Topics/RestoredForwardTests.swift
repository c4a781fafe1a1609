import Testing

@testable import Mailbox

@Suite("Forwards of restored stores", .alone("only a store of one machine is restored"))
struct RestoredForwardTests {
    @Test("Without the former store, nothing is forwarded before the owner says so")
    func confirmation() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let row = try test.makeForward(of: topic)
        let pending = try test.makeForward(of: topic, confirmed: false)
        try test.post("before", to: topic, isShown: true)
        try test.restore(try test.backUp())
        #expect(try test.forwards().map(\.state) == [.restored, .unconfirmed])
        #expect(test.store.index.nextDevice() > pending)
        try test.post("between", to: topic, isShown: true)
        try test.expectDone(.forward(.confirm(row, code: "")))
        #expect(try test.run(.forward(.confirm(pending, code: ""))) == .conflict)
        try test.post("after", to: topic, isShown: true)
        #expect(try test.deliverForwarded(row) == ["before", "after"])
    }

    @Test("With the former store, what ended since stays ended and the rest goes on")
    func former() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let (kept, ended) = (try test.makeForward(of: topic), try test.makeForward(of: topic))
        let path = try test.backUp()
        try test.expectDone(.forward(.end(ended)))
        try test.restore(path, former: true)
        #expect(try test.forwards().map(\.forward.row) == [kept])
        #expect(try test.forwards().map(\.state) == [.active])
        #expect(try test.rows("forward") == 1)
    }
}
