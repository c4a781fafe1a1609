import Glibc

/// When a process began: its number together with this names it for good.
package enum ProcessStart {
    /// In ticks since the machine was started (proc(5), field 22 of `stat`); nil if there is no such
    /// process, or nobody may look at it.
    package static func ticks(of process: Int32) -> UInt64? {
        guard let file = try? FileDescriptor.open("/proc/\(process)/stat", O_RDONLY),
            let bytes = try? file.readAll(limit: 4096),
            // The name of the program stands in brackets and may hold anything.
            let bracket = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }
}
