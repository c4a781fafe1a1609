import DeliveryModel
import Models
import Testing

/// The short form of `tools/models`.
@Suite("State machines beside plain models")
struct PlayTests {
    @Test("The machine does what the model allows", arguments: AllPlays.names)
    func models(name: String) throws {
        let report = try #require(
            AllPlays.report(
                name, events: 10_000, sequenceLength: 3, seed: 1, patience: .seconds(60)))
        #expect(report.finding == nil, "\(report.finding?.events.joined(separator: ", ") ?? "")")
        #expect(report.events > 0 && report.sequences > 0 && report.states > 20)
    }
}

@Suite("Shrinking")
struct ShrinkingTests {
    @Test("Only what is needed is left of a story")
    func shrink() {
        let story = (0..<100).map { $0 * 37 % 101 }
        let shortest = Shrinking.shrink(story) { $0.contains(12) && $0.contains(77) }
        #expect(shortest.sorted() == [12, 77])
    }

    /// A counter that must not come to three without a reset.
    private struct Counter: Play {
        static let name = "counter"
        static let alphabet = [1, 0]
        static func draw(_ dice: inout Dice) -> Int { dice.roll(2) }
        var state = 0
        var finding: String?
        mutating func happen(_ event: Int) {
            state = event == 0 ? 0 : state + event
            if state == 3 { finding = "three" }
        }
        mutating func settle() {}
    }

    @Test("A broken promise is found among stories and among sequences, with the shortest story")
    func finding() throws {
        let stories = PlayRun<Counter>.report(.init(events: 1_000, sequenceLength: 0, seed: 7))
        #expect(stories.finding?.events == ["1", "1", "1"])
        #expect(stories.finding?.seed != nil)
        let sequences = PlayRun<Counter>.report(.init(events: 0, sequenceLength: 4, seed: 7))
        #expect(sequences.finding?.events == ["1", "1", "1"] && sequences.finding?.seed == nil)
        let short = PlayRun<Counter>.report(.init(events: 0, sequenceLength: 2, seed: 7))
        #expect(short.finding == nil && short.sequences == 4 && short.states == 3)
    }
}
