import Testing

@testable import Desktop

@Suite("Deadlines of calls")
struct CallDeadlineTests {
    @Test(
        "A deadline that passed more than five seconds ago passed in sleep, and is extended",
        arguments: [(0, true), (5_000, true), (5_001, false)])
    func oversleep(late: Int, isOver: Bool) throws {
        var stage = try Stage.running(.one)
        _ = stage.push("a")
        stage.time += .seconds(25) + .milliseconds(late)
        stage.machine.tick(at: stage.moment)
        let taken = DistributorAction.acknowledge(Stage.channel(1), message: "a")
        #expect(stage.machine.takeActions().requests == (isOver ? [taken] : []))
        #expect(stage.pass(.seconds(25)).requests == (isOver ? [] : [taken]))
    }
}
