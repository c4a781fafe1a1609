import Foundation
import SQLite
import System
import TestSupport
import Testing

@testable import Mailbox

@Suite("A store that moves")
struct MovingTests {
    @Test("While the writer rests, nobody can write, and what is stored can be read")
    func pause() throws {
        let store = try TestStore()
        let device = try store.addDevice()
        let subscription = try store.register(device)
        try store.keep(subscription.address, "one")
        #expect(store.store.pause(within: 10_000))
        #expect(!store.store.isUsable)
        #expect(try store.run(.store(store.message(subscription.address, "two"))) == .unavailable)
        #expect(try store.run(.addOwner(name: "a")) == .unavailable)
        #expect(try store.bodies(device) == ["one"])
        // The file has everything, even without what is beside it.
        let copy = store.folder.file("copy")
        try FileManager.default.copyItem(
            atPath: StoreCopy.store(in: store.path), toPath: copy)
        #expect(try Connection(copy, .readOnly).integer("SELECT count(*) FROM message") == 1)
        store.store.goOn()
        #expect(eventually { store.store.isUsable })
        try store.keep(subscription.address, "three")
        #expect(try store.bodies(device) == ["one", "three"])
    }

    @Test("The writer can rest again at once, and a store that rests can be closed")
    func pauses() throws {
        let store = try TestStore()
        _ = try store.addDevice()
        for _ in 0..<3 {
            #expect(store.store.pause(within: 10_000))
            store.store.goOn()
        }
        #expect(store.store.pause(within: 10_000))
        try store.restart()
        #expect(store.store.report.devices == 1)
    }

    @Test(
        "A store that follows a log is not served alone, until it has left",
        .alone("it begins as a store of its own"))
    func place() throws {
        let store = try TestStore()
        let device = try store.addDevice()
        let subscription = try store.register(device)
        try store.keep(subscription.address, "one")
        store.close()
        let path = StoreCopy.store(in: store.path)
        let place = try #require(try StorePlace(in: store.path))
        #expect(place.applied == 0 && place.lastRow == 1 && place.blocks == 1)
        store.clocks.advance(seconds: 60)
        let now = store.clocks.now
        let shared = ClockReading(boot: nil, sinceBoot: 9_000_000, wall: now.wall + 5_000)
        try StorePlace.join(fileAt: path, after: 7, place.time(at: now), at: shared)
        #expect(throws: StoreFault.shared) { try store.restart() }
        let joined = try #require(try StorePlace(in: store.path))
        #expect(joined.applied == 7)
        // The clock of the others is another one; the store's time goes on.
        #expect(joined.time(at: shared) == place.time(at: now))
        try StorePlace.leave(
            fileAt: path, before: NumberBlock(number: 3), joined.time(at: shared), at: now)
        try store.restart()
        #expect(try store.bodies(device) == ["one"])
        #expect(try store.addDevice() == 2 * NumberBlock.length + 1)
        #expect(store.store.clock.time(at: now) == place.time(at: now))
    }

    @Test(
        "A backup of a node is restored as a store of one machine, with numbers above all",
        .alone("it changes the file by hand"))
    func backup() throws {
        let store = try TestStore()
        _ = try store.addDevice()
        let (path, now) = (StoreCopy.store(in: store.path), store.clocks.now)
        store.close()
        let place = try #require(try StorePlace(in: store.path))
        try StorePlace.join(fileAt: path, after: 5, place.time(at: now), at: now)
        // Another node made it, so this one did not count it.
        try Connection(path, .readWrite).execute("UPDATE device SET row = 30000000")
        let backup = try store.backUp()
        let folder = store.folder.file("restored")
        _ = try TestStore.restore(backup, to: folder, at: now)
        let restored = try #require(try StorePlace(in: folder))
        #expect(restored.applied == 0)
        #expect(restored.lastRow >= 30_000_000 + 256 * NumberBlock.length)
        store.options.folder = folder
        try store.restart()
    }

    private func eventually(_ condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while !condition(), Date() < deadline { usleep(2_000) }
        return condition()
    }
}
