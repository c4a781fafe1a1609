import System

/// The memory of this process according to the kernel, in KiB.
struct MemoryUse {
    let resident: Int
    let peak: Int

    struct Unreadable: Error {}

    static func now() throws -> MemoryUse {
        let status = String(decoding: try TextFile.read("/proc/self/status"), as: UTF8.self)
        func value(_ name: String) -> Int? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
                .flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }
                .flatMap { Int($0) }
        }
        guard let resident = value("VmRSS"), let peak = value("VmHWM") else { throw Unreadable() }
        return MemoryUse(resident: resident, peak: peak)
    }
}
