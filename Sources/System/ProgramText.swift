import Glibc

/// The code of this program and its libraries that is in memory.
package enum ProgramText {
    /// Drops it from memory. Code that is called again comes back from the page cache; code that
    /// only the start needed does not.
    package static func release() {
        // If the list cannot be read, the code stays in memory, which does no harm.
        guard let file = try? FileDescriptor.open("/proc/self/maps", O_RDONLY),
            let text = try? file.readAll(limit: 1 << 20)
        else { return }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let range = codeRange(String(decoding: line, as: UTF8.self)),
                let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound)
            else { continue }
            // These pages are never written, so the file has the same bytes.
            madvise(start, range.count, MADV_DONTNEED)
        }
    }

    /// The range in a line of proc_pid_maps(5); nil unless it is an executable, read-only mapping
    /// of a file.
    static func codeRange(_ line: String) -> Range<UInt>? {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }
}
