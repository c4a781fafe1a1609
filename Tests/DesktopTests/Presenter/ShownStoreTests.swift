import Crypto
import System
import TestSupport
import Testing

@testable import Desktop

@Suite("What is remembered of the screen")
struct ShownStoreTests {
    @Test("Records and highest numbers are there after a restart, whatever was forgotten")
    func restart() throws {
        let folder = try TemporaryFolder()
        let master = try MasterKey.generate()
        func store() throws -> DesktopStore {
            try DesktopStore(folder: StateFolder(folder.path + "/desktop"), masterKey: master)
        }
        let server = ServerIdentity(owner: ":1.7", processStart: .max)
        let records = ShownRecord.Place.allCases.enumerated().map { index, place in
            ShownRecord(
                key: ShownKey("a/b", Int32(index)), group: 3, place: place, maySound: index == 1,
                serverID: .max - UInt32(index), server: index == 2 ? nil : server)
        }
        try store().commit(kept: records, forgotten: [])
        var first = records[0]
        first.place = .dismissed
        try store().commit(kept: [first], forgotten: [records[5].key, ShownKey("other", 1)])
        let history = try store().history()
        #expect(history.records == [first] + records[1..<5])
        #expect(history.highest == ["a/b": 5])
        try store().forgetHighest(of: "a/b")
        #expect(try store().history() == ShownHistory(records: history.records))
    }
}
