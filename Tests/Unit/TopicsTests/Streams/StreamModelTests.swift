import Testing

@testable import Topics

/// Runs cursors with a store that is slow and fails, and random readers.
@Suite("The promise of streams, under random events")
struct StreamModelTests {
    private static let eventsEach = 1_000

    @Test("Each reader gets all it asked for once, in order, however slowly it reads")
    func promise() {
        for seed in 0..<100 as Range<UInt64> {
            let broken = StreamWorld(seed: seed).run(Self.eventsEach)
            #expect(broken == nil, "seed \(seed)")
        }
    }

    #if PLANTED
        @Test("A mistake in a stream is found", arguments: StreamMistake.allCases)
        func mistakes(mistake: StreamMistake) {
            let found = (0..<100 as Range<UInt64>).first { seed in
                let world = StreamWorld(seed: seed) { cursor, range in
                    cursor.mistake = mistake
                    range.mistake = mistake
                }
                return world.run(Self.eventsEach) != nil
            }
            #expect(found != nil)
        }
    #endif
}
