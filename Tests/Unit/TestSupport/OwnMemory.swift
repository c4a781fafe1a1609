import Foundation

/// What the process that runs the tests takes.
package enum OwnMemory {
    /// Bytes of it that are in memory.
    package static func resident() throws -> Int {
        try pages(1) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// With a sanitizer, which keeps a shadow of all memory, and for a while what was freed.
    package static let isSanitized = ((try? pages(0)) ?? 0) > 1 << 30

    private static func pages(_ place: Int) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return Int(text.split(separator: " ")[place]) ?? 0
    }
}
