import Glibc
import System

/// The kernel's figures for the measured server.
struct MeasuredProcess {
    struct Memory {
        /// In KiB.
        let resident: Int
        let proportional: Int
    }

    let number: Int

    /// CPU seconds of its threads, to the nanosecond.
    var cpu: Double {
        var sum = 0
        for thread in entries(of: "/proc/\(number)/task") {
            let text = read("/proc/\(number)/task/\(thread)/schedstat")
            sum += text.split(separator: " ").first.flatMap { Int($0) } ?? 0
        }
        return Double(sum) / 1_000_000_000
    }

    var memory: Memory {
        let text = read("/proc/\(number)/smaps_rollup")
        return Memory(resident: value("Rss:", in: text), proportional: value("Pss:", in: text))
    }

    /// Pages of 4 KiB that it has written to disk.
    var pagesWritten: Int { value("write_bytes:", in: read("/proc/\(number)/io")) / 4_096 }

    private func value(_ name: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Empty for a thread that has just ended.
    private func read(_ path: String) -> String {
        (try? TextFile.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
