import Glibc

/// The code of this program and of its libraries, as far as it is in memory.
package enum ProgramText {
    /// Lets go of it. What is used comes back from the page cache when it is next called; what only
    /// the start had any use for, and what the kernel brought along with it, does not.
    package static func release() {
        // Without the list nothing is gained, and nothing lost.
        guard let file = try? FileDescriptor.open("/proc/self/maps", O_RDONLY),
            let text = try? file.readAll(limit: 1 << 20)
        else { return }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let range = codeRange(String(decoding: line, as: UTF8.self)),
                let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound)
            else { continue }
            // Nobody ever wrote there, so the file has the same bytes.
            madvise(start, range.count, MADV_DONTNEED)
        }
    }

    /// Of a line of proc_pid_maps(5); nil unless a file is mapped there to be run, and never to be
    /// written.
    static func codeRange(_ line: String) -> Range<UInt>? {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }
}
