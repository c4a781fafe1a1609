import Testing

@testable import Delivery

@Suite("The commit window")
struct CommitWindowTests {
    /// The devices to ask, in order, until nothing is due.
    private func due(_ window: inout CommitWindow, at now: Int64) -> [UInt32] {
        var devices: [UInt32] = []
        while let next = window.next(now) {
            devices.append(next.device)
            window.letGo()
        }
        return devices
    }

    @Test("A device is asked when its messages are due, not before")
    func due() {
        var window = CommitWindow()
        #expect(window.deadline == nil)
        window.hold(1, until: 2_000)
        #expect(window.deadline == 2_000)
        #expect(due(&window, at: 1_999) == [])
        #expect(due(&window, at: 2_000) == [1])
        #expect(window.deadline == nil && due(&window, at: 2_000) == [])
    }

    @Test("No device is asked once no message is held any more")
    func letGo() {
        var window = CommitWindow()
        for number in 1...1_000 { window.hold(UInt32(number), until: Int64(number)) }
        #expect(window.count == 1_000 && window.deadline == 1)
        for _ in 1...1_000 { window.letGo() }
        #expect(window.deadline == nil && window.next(.max) == nil)
        window.hold(7, until: 5)
        #expect(due(&window, at: 5) == [7])
    }

    @Test("The ring grows while messages are let go, and keeps their order")
    func growth() {
        var window = CommitWindow()
        var asked: [UInt32] = []
        for number in 1...10_000 {
            window.hold(UInt32(number), until: Int64(number))
            if number % 3 == 0 { asked += due(&window, at: Int64(number / 2)) }
        }
        asked += due(&window, at: .max)
        #expect(asked == (1...10_000).map(UInt32.init))
    }

    @Test("Beyond the limit, the oldest messages are due at once")
    func limit() {
        var window = CommitWindow(limit: 10)
        for number in 1...13 { window.hold(UInt32(number), until: 100) }
        #expect(due(&window, at: 0) == [1, 2, 3])
        #expect(window.count == 10)
    }
}
