import Base
import Crypto
import Foundation
import SQLite
import System
import TestSupport
import Testing
import WebPush

@testable import Desktop

@Suite("The desktop's store")
struct DesktopStoreTests {
    private let folder: TemporaryFolder
    private let master: MasterKey

    init() throws {
        folder = try TemporaryFolder()
        master = try MasterKey.generate()
    }

    private func store() throws -> DesktopStore {
        let state = try StateFolder(folder.path + "/desktop")
        return try DesktopStore(folder: state, masterKey: master)
    }

    private func client(_ token: String, sandbox: String = "") -> ClientRecord {
        var client = ClientRecord(
            key: ClientKey(sandbox: sandbox, token: token), service: "org.example.App",
            description: "An app", applicationKey: nil, version: .two,
            path: "/org/unifiedpush/Connector", channel: ChannelID(Bits128(high: 1, low: 2)),
            endpoint: "https://p.example/wpush/v1/secret-endpoint", created: 5, lastDelivery: nil,
            lastSeen: 6)
        client.isMuted = true
        client.leastUrgency = .low
        return client
    }

    @Test("Registrations survive a restart; the last one of a key counts")
    func clients() throws {
        var store = try store()
        #expect(try store.clients() == [])
        var first = client("secret-token")
        try store.save(first)
        try store.save(client("secret-token", sandbox: "org.example.Box"))
        first.endpoint = nil
        first.lastDelivery = 9
        try store.save(first)
        store = try self.store()
        #expect(try store.clients() == [first, client("secret-token", sandbox: "org.example.Box")])
        try store.remove(first.key)
        store = try self.store()
        #expect(try store.clients().count == 1)
    }

    @Test(
        "Neither tokens nor endpoints nor names of user agents nor bodies are readable on the disk")
    func sealed() throws {
        let store = try store()
        try store.save(client("secret-token"))
        let receiver = try store.receiver(at: "wss://push.example/u/secret-credential")
        try store.setUserAgent("secret-agent", ofReceiver: receiver.row)
        try keep("1", "secret-body", in: store)
        let text = String(
            decoding: try contents(ofFolder: folder.path + "/desktop"), as: UTF8.self)
        #expect(text.contains("org.example.App"))
        #expect(!text.contains("secret-"))
    }

    @Test("A receiver is found by its address, with the user agent id it gave us")
    func receivers() throws {
        var store = try store()
        let first = try store.receiver(at: "wss://a.example/")
        let second = try store.receiver(at: "wss://b.example/")
        #expect(first.row != second.row && first.userAgent == nil)
        try store.setUserAgent("aa", ofReceiver: second.row)
        store = try self.store()
        #expect(try store.receiver(at: "wss://b.example/").userAgent == "aa")
        let record = DesktopStore.ChannelRecord(
            channel: ChannelID(Bits128(high: 3, low: 4)), receiver: second.row, isEnded: false)
        try store.save(record)
        #expect(try store.channels() == [record])
        try store.remove(record.channel)
        #expect(try store.channels() == [])
    }

    @discardableResult
    private func keep(_ id: String, _ body: String, in store: DesktopStore) throws -> Int64 {
        var held = HeldMessages()
        let key = HeldMessages.Key(ChannelID(Bits128(high: 1, low: 2)), id)
        held.received(
            key, from: 1, body: Array(body.utf8), deadline: BootClock.now + .seconds(60),
            urgency: .low, isForeign: true, at: BootClock.now)
        let entry = try #require(held.entry(key))
        return try #require(try store.keep([(key, entry)]).first)
    }

    @Test("Messages keep their order, expiry and bodies; no row number is used twice")
    func messages() throws {
        var store = try store()
        let first = try keep("1", "one", in: store)
        let second = try keep("2", "two", in: store)
        store = try self.store()
        let kept = try store.messages()
        #expect(kept.map(\.id) == ["1", "2"])
        #expect(kept.map(\.row) == [first, second])
        #expect(kept[0].urgency == .low)
        let rest = kept[0].deadline - BootClock.now
        #expect(rest > .seconds(50) && rest <= .seconds(61))
        #expect(try store.body(ofMessage: second) == Array("two".utf8))
        try store.removeMessages([first, second])
        #expect(try store.body(ofMessage: second) == nil)
        #expect(try keep("3", "three", in: store) > second)
    }

    @Test("The stored form of words and numbers does not change")
    func numbers() {
        #expect([ConnectorVersion.one, .two].map(\.rawValue) == [1, 2])
        let places: [ShownRecord.Place] = [
            .waiting, .showing, .shown, .listed, .summarised, .dismissed, .aside,
        ]
        let words = [
            "waiting", "showing", "shown", "listed", "summarised", "dismissed", "aside",
        ]
        #expect(places.map(\.rawValue) == words && places == ShownRecord.Place.allCases)
        let urgencies: [Urgency] = [.veryLow, .low, .normal, .high]
        #expect(urgencies.map(\.rawValue) == ["very-low", "low", "normal", "high"])
    }

    @Test(
        "A file that is broken, or another program's, is refused with what to do, and left as it is",
        arguments: [
            "letter", "CREATE TABLE places (url TEXT)", "CREATE TABLE client (row INTEGER)",
        ])
    func damaged(content: String) throws {
        try store().save(client("secret-token"))
        let path = folder.path + "/desktop/" + DesktopStore.fileName
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        try Data(content == "letter" ? "this is a letter, and no database".utf8 : "".utf8)
            .write(to: URL(filePath: path))
        if content != "letter" { try Connection(path, .readWrite).execute(content) }
        let before = try TextFile.read(path)
        let damage = try #require(throws: DesktopStore.Refusal.self) { try store() }
        #expect(damage.description.hasPrefix("\(path) is damaged: "))
        #expect(
            !damage.description.contains("\n") && damage.hint.contains("move the files \(path)*"))
        #expect(try TextFile.read(path) == before)
    }

    @Test("Another master key opens nothing")
    func otherKey() throws {
        try store().save(client("secret-token"))
        let state = try StateFolder(folder.path + "/desktop")
        let other = try DesktopStore(folder: state, masterKey: try MasterKey.generate())
        #expect(try other.clients() == [])
    }
}
