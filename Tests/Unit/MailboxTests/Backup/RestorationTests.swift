import Base
import Crypto
import Delivery
import Foundation
import System
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Restored stores", .alone("only a store of one machine is restored"))
struct RestorationTests {
    @Test("A restored store is the store at the moment of the backup, while that went on")
    func moment() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let subscription = try test.register(device)
        let kept = try (0..<30).map { try test.keep(subscription.address, "\($0)") }
        let path = try test.backUp()
        let later = try test.register(device)
        try test.keep(subscription.address, "later")
        try test.expectDone(.acknowledge(kept[0].reference))
        let before = test.store.index.counters
        let report = try test.restore(path)
        #expect(report.figures == StoreFigures(devices: 0, endpoints: 1, messages: 30))
        #expect(try test.waiting(device).map(\.id) == kept.map(\.id))
        guard case .found(let endpoint) = test.answer(subscription) else {
            Issue.record("the endpoint is not there")
            return
        }
        #expect(endpoint.address == subscription.address)
        #expect(test.answer(later) != .gone)
        let after = test.store.index.counters
        #expect(after.sequence > before.sequence && after.subscription > before.subscription)
        #expect(after.device > before.device && after.credential > before.credential)
        let anew = try test.register(device)
        #expect(anew.address.subscription > later.address.subscription)
        let next = try test.keep(subscription.address, "next")
        #expect(try test.waiting(device).last?.id == next.id)
    }

    @Test("For 30 days an endpoint that is newer than the backup is missing, then it is gone")
    func missing() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let (old, kept) = (try test.register(device), try test.register(device))
        try test.expectDone(.unregister(subscription: old.address.subscription))
        let path = try test.backUp()
        let newer = try test.register(device)
        #expect(test.answer(newer) != .gone)
        try test.restore(path)
        let until = test.now.adding(seconds: 30 * 86_400)
        #expect(test.answer(newer) == .missing(until: until))
        #expect(test.answer(old) == .gone)
        try test.expectDone(.unregister(subscription: kept.address.subscription))
        #expect(test.answer(kept) == .gone)
        test.clocks.advance(seconds: 30 * 86_400 - 10)
        try test.restart()
        #expect(test.answer(newer) == .missing(until: until))
        #expect(test.answer(old) == .gone && test.answer(kept) == .gone)
        test.clocks.advance(seconds: 10)
        try test.restart()
        #expect(test.answer(newer) == .gone)
    }

    @Test("A message expires on time after a restore, on another machine too")
    func expiry() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let address = try test.register(device).address
        try test.keep(address, "short", ttl: 60)
        try test.keep(address, "long", ttl: 600)
        let path = try test.backUp()
        test.clocks.advance(seconds: 90)
        test.clocks.set { reading in
            reading.boot = [UInt8](repeating: 2, count: 16)
            reading.sinceBoot = 5
        }
        try test.restore(path)
        #expect(try test.bodies(device) == ["long"])
    }

    @Test("Without the former store, each device waits until it is confirmed")
    func confirmation() throws {
        let test = try TestStore()
        let secret = try test.digest()
        let credential = DeviceCredential(
            row: test.store.index.nextCredential(), secret: secret, name: "desk", owner: "ann",
            created: 1)
        try test.expectDone(.addCredential(credential))
        try test.expectDone(.passkey(.add(try PasskeyStoreTests.passkey())))
        #expect(test.store.index.credential(secret)?.isConfirmed == true)
        let report = try test.restore(try test.backUp())
        #expect(report.unconfirmed == 1)
        // It may have been removed since, and opens everything.
        guard case .passkeys(let passkeys) = try test.load(.passkeys(.owner("admin")))
        else { return }
        #expect(passkeys.isEmpty)
        #expect(test.store.index.credential(secret)?.isConfirmed == false)
        try test.restart()
        #expect(test.store.index.credential(secret)?.isConfirmed == false)
        #expect(try test.run(.confirmCredential(credential.row + 7)) == .notFound)
        try test.expectDone(.confirmCredential(credential.row))
        #expect(test.store.index.credential(secret)?.isConfirmed == true)
        try test.restart()
        #expect(test.store.index.credential(secret)?.isConfirmed == true)
    }

    @Test("A folder that has a store, or that a server uses, is not touched")
    func refused() throws {
        let test = try TestStore()
        let path = try test.backUp()
        func failure(_ folder: String) -> BackupFailure? {
            TestStore.failure {
                _ = try TestStore.restore(path, to: folder, at: test.clocks.now)
            }
        }
        #expect(failure(test.path) == .folder(.inUse(path: test.path)))
        test.close()
        let before = try Data(contentsOf: URL(filePath: test.path + "/bellwire.db"))
        #expect(failure(test.path) == .storeIsThere(folder: test.path))
        #expect(try Data(contentsOf: URL(filePath: test.path + "/bellwire.db")) == before)
        let leftOver = test.folder.file("left over")
        try FileManager.default.createDirectory(
            atPath: leftOver, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try Data("x".utf8).write(to: URL(filePath: leftOver + "/bellwire.db-wal"))
        #expect(failure(leftOver) == .storeIsThere(folder: leftOver))
        let restored = test.folder.file("restored")
        #expect(failure(restored) == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: restored)
        #expect(names.sorted() == ["bellwire.db", "lock"])
        #expect(failure(restored) == .storeIsThere(folder: restored))
    }

    @Test("The master key is not in a restored store, and neither is the backup's header")
    func noKey() throws {
        let test = try TestStore()
        let key = test.options.masterKey.withBytes { Data($0.array($0.indices)) }
        let path = try test.backUp()
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: key) != nil)
        try test.restore(path)
        test.close()
        let restored = try Data(contentsOf: URL(filePath: test.folder.file("restored/bellwire.db")))
        #expect(restored.range(of: key) == nil)
    }

    @Test("A notification that comes after a restore has a higher number than any before")
    func notifications() throws {
        let test = try TestStore()
        let (_, subscription) = try test.addRegistration()
        func push(_ number: Int) throws {
            let payload =
                #"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","x"],"#
                + #""custom":{"from_id":"7","msg_id":"\#(number)"}}}"#
            _ = try test.receive(subscription.address, payload)
        }
        for number in 1...3 { try push(number) }
        let path = try test.backUp()
        for number in 4...6 { try push(number) }
        let engines = [subscription.address.device]
        #expect(try Self.highest(test.welcomes(engines)[0]) == 6)
        try test.restore(path)
        try push(7)
        #expect(try Self.highest(test.welcomes(engines)[0]) == 100_004)
        // Once only.
        try test.restart()
        try push(8)
        #expect(try Self.highest(test.welcomes(engines)[0]) == 100_005)
    }

    /// The highest number of a notification in updates.
    private static func highest(_ updates: [String]) throws -> Int {
        let pattern = /"@type":"notification","id":([0-9]+)/
        return updates.flatMap { $0.matches(of: pattern).compactMap { Int($0.1) } }.max() ?? 0
    }
}
