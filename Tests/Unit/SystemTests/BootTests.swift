import Foundation
import Testing

@testable import System

@Suite("The start of the machine")
struct BootTests {
    @Test("It has an identifier of 16 bytes, and the time since then only grows")
    func boot() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let uuid = try #require(UUID(uuidString: text.trimmingCharacters(in: .newlines)))
        #expect(Boot.identifier == withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
        let seconds = try #require(Double(uptime.prefix { $0 != " " }))
        #expect(abs(Double(Boot.milliseconds) / 1_000 - seconds) < 5)
    }

    @Test("A process is identified by its start time")
    func processes() throws {
        let own = try #require(ProcessStart.ticks(of: getpid()))
        let first = try #require(ProcessStart.ticks(of: 1))
        #expect(own > first && ProcessStart.ticks(of: getpid()) == own)
        #expect(ProcessStart.ticks(of: 4_194_305) == nil, "no process has such a number")
    }
}
