import Crypto
import SQLite
import System
import TestSupport
import Testing

@testable import Desktop

@Suite("The stored state of the screen")
struct ShownStoreTests {
    @Test("Records and highest ids survive a restart")
    func restart() throws {
        let folder = try TemporaryFolder()
        let master = try MasterKey.generate()
        func store() throws -> DesktopStore {
            try DesktopStore(folder: StateFolder(folder.path + "/desktop"), masterKey: master)
        }
        let server = ServerIdentity(owner: ":1.7", processStart: .max)
        let records = ShownRecord.Place.allCases.enumerated().map { index, place in
            ShownRecord(
                key: ShownKey("a/b", 3, Int32(index)), place: place, maySound: index == 1,
                serverID: .max - UInt32(index), server: index == 2 ? nil : server)
        }
        try store().commit(kept: records, forgotten: [])
        var first = records[0]
        first.place = .dismissed
        first.request = .act(group: 3, notification: 0, action: "reply", text: "Yes \u{2713}")
        try store().commit(kept: [first], forgotten: [records[5].key, ShownKey("other", 1, 1)])
        let history = try store().history()
        #expect(history.records == [first] + records[1..<5] + records[6...])
        #expect(history.highest == ["a/b": [3: 6]])
        try store().forgetHighest(of: "a/b")
        #expect(try store().history() == ShownHistory(records: history.records))
        let file = try TextFile.read(folder.path + "/desktop/desktop.db")
        #expect(!String(decoding: file, as: UTF8.self).contains("Yes"))
    }

    @Test("A press is stored with the result that it has, and nobody reads it in the file")
    func press() throws {
        let folder = try TemporaryFolder()
        let master = try MasterKey.generate()
        func store() throws -> DesktopStore {
            try DesktopStore(folder: StateFolder(folder.path + "/desktop"), masterKey: master)
        }
        var record = ShownRecord(key: ShownKey("a/b", 3, 1), place: .shown)
        var press = ButtonPress(of: "button", key: "secretive")
        for state in [nil, .answered(status: 503), .unsent(.untrusted)] as [ButtonPress.State?] {
            press = ButtonPress(of: "button", key: "secretive")
            if let state { press.ended(as: state) }
            record.press = press
            try store().commit(kept: [record], forgotten: [])
            #expect(try store().history().records == [record])
        }
        record.press = ButtonPress(of: "button", key: "k", isNoted: false)
        try store().commit(kept: [record], forgotten: [])
        #expect(try store().history().records.first?.press == nil)
        let file = try TextFile.read(folder.path + "/desktop/desktop.db")
        #expect(!String(decoding: file, as: UTF8.self).contains("secretive"))
    }

    @Test("A source has the same tag after a restart, and another one under another key")
    func tags() throws {
        let master = try MasterKey.generate()
        func tags(_ master: MasterKey, _ folder: TemporaryFolder) throws -> [String] {
            let store = try DesktopStore(
                folder: StateFolder(folder.path + "/desktop"), masterKey: master)
            return try ["telegram/me@a.example", "telegram/you@a.example"].map(store.tag)
        }
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let first = try tags(master, folder)
        #expect(try tags(master, folder) == first)
        #expect(Set(first + (try tags(MasterKey.generate(), other))).count == 4)
    }

    @Test("The highest ids of a source's latest twenty thousand groups are stored")
    func groups() throws {
        let folder = try TemporaryFolder()
        let master = try MasterKey.generate()
        let store = try DesktopStore(
            folder: StateFolder(folder.path + "/desktop"), masterKey: master)
        let keys = (1...20_010).map { ShownKey("a/b", Int32($0), Int32($0)) }
        let records = (keys + [ShownKey("other", 1, 1)]).map {
            ShownRecord(key: $0, place: .listed, maySound: false, serverID: 0, server: nil)
        }
        try store.commit(kept: records, forgotten: keys)
        var source = Presenter.Source(settings: Screen.account)
        for key in keys { source.raise(to: key) }
        #expect(source.highest.count < 20_000 && source.highest[20_010] == 20_010)
        let history = try store.history()
        #expect(history.highest["a/b"]?.count == 20_000)
        #expect(history.highest["a/b"]?[10] == nil && history.highest["other"] == [1: 1])
    }
}
