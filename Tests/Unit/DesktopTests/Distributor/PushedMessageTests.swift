import Base
import Testing
import WebPush

@testable import Desktop

@Suite("Messages to applications")
struct PushedMessageTests {
    private static func message(
        channel: UInt64 = 1, id: String = "a", body: [UInt8] = [1], deadline: Duration? = nil,
        urgency: Urgency = .normal
    ) -> PushedMessage {
        PushedMessage(
            channel: Stage.channel(channel), id: id, body: body, deadline: deadline,
            urgency: urgency)
    }

    @Test(
        "Messages that differ in one thing are different",
        arguments: [
            message(channel: 2), message(id: "b"), message(body: [2]),
            message(deadline: .seconds(9)), message(urgency: .high),
        ])
    func equality(other: PushedMessage) {
        #expect(Self.message() == Self.message())
        #expect(other != Self.message())
    }

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
