import Bus
import Testing
import WebPush

@testable import Desktop

@Suite("State of the machine from system services")
struct MachineStateTests {
    @Test("Battery, charge and a metered network raise the floor; without services it is lowest")
    func floor() {
        var state = MachineState()
        #expect(state.floor == .veryLow)
        _ = state.changed(.power, ["OnBattery": .boolean(true)])
        #expect(state.floor == .low)
        _ = state.changed(.battery, ["Percentage": .double(9), "IsPresent": .boolean(false)])
        #expect(state.floor == .low)
        _ = state.changed(.battery, ["IsPresent": .boolean(true)])
        #expect(state.floor == .high)
        _ = state.changed(.battery, ["Percentage": .double(50)])
        _ = state.changed(.network, ["Metered": .uint32(3)])
        #expect(state.floor == .normal)
        state.lost(.network)
        state.lost(.power)
        #expect(state.floor == .veryLow)
    }

    @Test("A new or restored network wakes the link; a lost one does not")
    func network() {
        var state = MachineState()
        func wakes(_ number: UInt32?, _ connection: String? = nil) -> Bool {
            var members: [String: BusValue] = [:]
            if let number { members["State"] = .uint32(number) }
            if let connection { members["PrimaryConnection"] = .objectPath(connection) }
            return state.changed(.network, members)
        }
        #expect(!wakes(70, "/one"))
        #expect(!wakes(20))
        #expect(!wakes(nil, "/"))
        #expect(!wakes(40))
        #expect(wakes(70))
        #expect(wakes(nil, "/two"))
        #expect(!wakes(70, "/two"))
    }

    @Test("Values of other types change nothing")
    func strange() {
        var state = MachineState()
        _ = state.changed(.network, ["State": .string("70"), "Metered": .boolean(true)])
        _ = state.changed(.power, ["OnBattery": .uint32(1)])
        _ = state.changed(.battery, ["Percentage": .string("1")])
        #expect(state == MachineState())
    }
}
