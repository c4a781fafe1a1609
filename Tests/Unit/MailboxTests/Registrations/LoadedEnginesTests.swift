import Notifications
import Testing
@testable import Mailbox

@Suite("Engines in memory")
struct LoadedEnginesTests {
    private func engine(_ row: UInt32, size: Int) -> LoadedEngine {
        let hosted = HostedEngine(
            Account(), cryptography: .openSSL, templates: .english, now: 0)
        return LoadedEngine(row, of: "admin", hosted, journalSize: 0, stateSize: size)
    }

    private func rows(_ engines: LoadedEngines) -> [UInt32] {
        (1...9).filter { engines[$0] != nil }
    }

    @Test("Unused engines are unloaded only when there is no room")
    func room() {
        var engines = LoadedEngines(room: 100_000)
        for row in 1...3 { engines.insert(engine(UInt32(row), size: 25_000)) }
        engines.giveUp { _ in false }
        #expect(rows(engines) == [1, 2, 3])
        engines.insert(engine(4, size: 25_000))
        engines.giveUp { $0 == 2 }
        #expect(rows(engines) == [2])
        engines.remove(2)
        engines.remove(2)
        for row in 5...7 { engines.insert(engine(UInt32(row), size: 25_000)) }
        engines.giveUp { _ in false }
        #expect(rows(engines) == [5, 6, 7])
    }

    @Test("A growing engine takes more room, and less after it is written")
    func growth() {
        var engines = LoadedEngines(room: 50_000)
        let growing = engine(1, size: 10_000)
        engines.insert(growing)
        engines.insert(engine(2, size: 10_000))
        engines.resize(growing, journal: 30_000, state: 10_000)
        engines.resize(growing, journal: 0, state: 12_000)
        engines.giveUp { _ in false }
        #expect(rows(engines) == [1, 2])
        engines.resize(growing, journal: 30_000, state: 12_000)
        engines.giveUp { _ in false }
        #expect(rows(engines) == [])
    }

    @Test("Engines in use that take all the room are not scanned on every insertion")
    func crowded() {
        var engines = LoadedEngines(room: 50_000)
        for row in 1...3 { engines.insert(engine(UInt32(row), size: 25_000)) }
        var asked = 0
        func isNeeded(_: UInt32) -> Bool {
            asked += 1
            return true
        }
        engines.giveUp(unless: isNeeded)
        #expect(asked == 3)
        engines.insert(engine(4, size: 25_000))
        engines.giveUp(unless: isNeeded)
        #expect(asked == 3)
        for row in 5...7 { engines.insert(engine(UInt32(row), size: 25_000)) }
        engines.giveUp { $0 > 6 }
        #expect(rows(engines) == [7])
    }
}
