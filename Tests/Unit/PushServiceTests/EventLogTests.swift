import Testing

@testable import PushService

@Suite("The last events")
struct EventLogTests {
    @Test("The newest come first, and the oldest of many are gone")
    func order() {
        let log = EventLog()
        #expect(log.newest.isEmpty)
        for device in 1...600 { log.add(ServerEvent(.accepted, device: UInt32(device))) }
        #expect(log.count == 600 && log.newest.count == 512)
        #expect(log.newest.first == .init(number: 599, event: ServerEvent(.accepted, device: 600)))
        #expect(log.newest.last?.event.device == 89)
    }

    @Test("Somebody who tries addresses fills one line a second")
    func strangers() {
        let log = EventLog()
        for time in stride(from: Int64(5_000), to: 8_000, by: 100) {
            log.add(ServerEvent(.refused, status: 404).at(time))
        }
        #expect(log.newest.map(\.event.time) == [7_000, 6_000, 5_000])
        log.add(ServerEvent(.refused, status: 401, device: 1).at(7_001))
        #expect(log.count == 4)
    }

    @Test("The time of the last push is known until the registration ends")
    func lastPushes() {
        let times = LastPushes()
        times.note(1, at: 5)
        times.note(1, at: 6)
        #expect(times[1] == 6 && times[2] == nil)
        times.forget([1, 3])
        #expect(times[1] == nil)
    }
}
