import Foundation

/// The memory of the process that runs the tests.
package enum OwnMemory {
    /// Resident bytes.
    package static func resident() throws -> Int {
        try pages(1) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// A sanitizer keeps a shadow of all memory, and freed memory for a while.
    package static let isSanitized = ((try? pages(0)) ?? 0) > 1 << 30

    private static func pages(_ place: Int) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return Int(text.split(separator: " ")[place]) ?? 0
    }
}
