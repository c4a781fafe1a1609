import DeliveryModel
import Foundation
import TestSupport
import Testing

@testable import Delivery

/// Runs the delivery with a store that loses what was not committed, and random clients.
@Suite("The promise of delivery, under random events")
struct DeliveryModelTests {
    private static let eventsEach = 2_000

    private static var worlds: Int {
        let events = ProcessInfo.processInfo.environment["BELLWIRE_EVENTS"].flatMap(Int.init)
        return max(1, (events ?? (OwnMemory.isSanitized ? 20_000 : 100_000)) / eventsEach)
    }

    @Test(
        "Accepted messages are delivered once, in order, until acknowledged, replaced or expired"
    )
    func promise() {
        for seed in 0..<Self.worlds {
            let broken = DeliveryWorld(Dice(seed: UInt64(seed))).run(Self.eventsEach)
            #expect(broken == nil, "seed \(seed)")
        }
    }

    #if PLANTED
        @Test("A mistake in the delivery is found", arguments: DeliveryMistake.allCases)
        func mistakes(mistake: DeliveryMistake) {
            let found = (0..<100).first { seed in
                DeliveryWorld(Dice(seed: UInt64(seed))) { $0.mistake = mistake }
                    .run(Self.eventsEach) != nil
            }
            #expect(found != nil)
        }
    #endif
}
