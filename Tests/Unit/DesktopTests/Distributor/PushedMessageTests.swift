import Base
import Testing
import WebPush

@testable import Desktop

@Suite("Messages to applications")
struct PushedMessageTests {
    @Test("A message that was withdrawn while its call ran, and taken, is not delivered again")
    func withdrawnAndTaken() throws {
        var stage = try Stage.running()
        let taken = DistributorAction.acknowledge(Stage.channel(1), message: "a")
        let first = stage.push("a")
        _ = stage.withdraw("a")
        #expect(try stage.answer(first.calls.first?.id).requests == [taken])
        let again = stage.push("a")
        #expect(again.requests == [taken] && again.calls.isEmpty)
    }

    @Test("A signal waits for the message that is being delivered")
    func signalBehind() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        #expect(stage.fetch(FetchCall(service: Stage.service, version: 7)).isEmpty)
        let second = try stage.answer(first.calls.first?.id)
        #expect(second.calls.first?.call.content == .message(Array("version=7".utf8), id: ""))
    }
}
