import Glibc

/// The time at which a process began. With its number it identifies the process for good.
package enum ProcessStart {
    /// In ticks since the machine was started (proc(5), field 22 of `stat`); nil if there is no
    /// such process or it cannot be read.
    package static func ticks(of process: Int32) -> UInt64? {
        guard let file = try? FileDescriptor.open("/proc/\(process)/stat", O_RDONLY),
            let bytes = try? file.readAll(limit: 4096),
            // The name of the program is in brackets and may contain anything.
            let bracket = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }
}
