import Testing
import WebPush

@testable import Desktop

@Suite("The urgency floor of this machine")
struct UrgencyFloorTests {
    @Test(
        "Power and network decide about the floor",
        arguments: [
            (false, nil, false, Urgency.veryLow), (false, nil, true, .low),
            (true, 80.0, false, .low), (true, 80, true, .normal), (true, 15, false, .high),
            (true, 15.5, false, .low), (false, 3, false, .veryLow),
        ] as [(Bool, Double?, Bool, Urgency)])
    func floor(isOnBattery: Bool, charge: Double?, isMetered: Bool, least: Urgency) {
        let power = PowerState(isOnBattery: isOnBattery, charge: charge)
        #expect(Urgency.floor(power, isMetered: isMetered) == least)
    }
}
