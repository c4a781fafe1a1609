import Foundation
import Testing

@testable import Mailbox

@Suite("Message lifetimes")
struct LifetimeTests {
    @Test("An expired message is not delivered, frees its quota and leaves the file")
    func expiry() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let address = try test.register(device).address
        try test.keep(address, "short", ttl: 60)
        try test.keep(address, "long", ttl: 3_600)
        test.clocks.advance(seconds: 59)
        #expect(try test.bodies(device) == ["short", "long"])
        test.clocks.advance(seconds: 1)
        #expect(try test.bodies(device) == ["long"])
        // Every batch is followed by a sweep.
        try test.keep(address, "new")
        try test.expectDone(.touchDevice(device, at: 1))
        #expect(test.store.index.usage(ofDevice: device).messages == 2)
        try test.restart()
        #expect(test.store.report.messages == 2)
    }

    @Test("Setting the clock while the machine runs neither ends nor prolongs a message")
    func clockJumps() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let address = try test.register(device).address
        try test.keep(address, ttl: 60)
        try test.restart { test.clocks.set { $0.wall += 3_650 * 86_400_000 } }
        #expect(try test.waiting(device).count == 1)
        try test.restart { test.clocks.set { $0.wall -= 7_300 * 86_400_000 } }
        #expect(try test.waiting(device).count == 1)
        test.clocks.advance(seconds: 60)
        #expect(try test.waiting(device).isEmpty)
    }

    @Test(
        "Messages wait and expire in 2039 and 2106, and restarts of the machine are noticed",
        arguments: [2_147_483_600, 2_177_452_800, 4_294_967_290, 4_300_000_000] as [Int64])
    func farTime(seconds: Int64) throws {
        let test = try TestStore()
        test.close()
        test.clocks.set { $0.wall = seconds * 1_000 }
        let fresh = try TestStore { [clocks = test.clocks] in $0.reading = { clocks.now } }
        let device = try fresh.addDevice()
        let address = try fresh.register(device).address
        try fresh.keep(address, "short", ttl: 60)
        try fresh.keep(address, "long", ttl: 2_592_000)
        test.clocks.advance(seconds: 59)
        #expect(try fresh.bodies(device) == ["short", "long"])
        try fresh.restart {
            test.clocks.set {
                $0.boot = [2]
                $0.sinceBoot = 5_000
                $0.wall += 2_000
            }
        }
        #expect(try fresh.bodies(device) == ["long"])
        test.clocks.advance(seconds: 2_592_000)
        #expect(try fresh.bodies(device).isEmpty)
    }

    @Test("After a restart of the machine, the time of day tells how long it was off")
    func reboot() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let address = try test.register(device).address
        try test.keep(address, "short", ttl: 60)
        try test.keep(address, "long", ttl: 3_600)
        func startMachineAnew(after seconds: Int64, boot: UInt8) throws {
            try test.restart {
                test.clocks.set {
                    $0.boot = [boot]
                    $0.sinceBoot = 5_000
                    $0.wall += seconds * 1_000
                }
            }
        }
        try startMachineAnew(after: 30, boot: 2)
        #expect(try test.bodies(device) == ["short", "long"])
        try startMachineAnew(after: -86_400, boot: 3)
        #expect(try test.bodies(device) == ["short", "long"])
        try startMachineAnew(after: 31, boot: 4)
        #expect(try test.bodies(device) == ["long"])
    }

    @Test("A full quota refuses messages, and stored ones count again after a restart")
    func quota() throws {
        let test = try TestStore {
            $0.limits.quota.device = QuotaLimits.Room(messages: 4, bytes: 1 << 20)
        }
        let device = try test.addDevice()
        let address = try test.register(device).address
        let first = try test.keep(address, "1")
        try test.keep(address, "2")
        for _ in 0..<2 {
            #expect(!test.hasRoom(address))
            try test.restart()
        }
        _ = try test.run(.acknowledge(first.reference))
        #expect(test.hasRoom(address))
    }
}
