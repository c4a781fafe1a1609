import Glibc

/// What this process uses of the machine.
package struct ProcessUsage: Sendable {
    /// Seconds of one core that all threads have used since the start.
    package let processorSeconds: Double
    package let residentBytes: Int
    package let openDescriptors: Int
    package let descriptorLimit: Int

    /// A value that the system does not report is zero.
    package static var current: ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return ProcessUsage(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            residentBytes: residentBytes, openDescriptors: openDescriptors,
            descriptorLimit: Int(clamping: limit.rlim_cur))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// The second number of `statm` counts pages (proc(5)).
    private static var residentBytes: Int {
        guard let file = try? FileDescriptor.open("/proc/self/statm", O_RDONLY),
            let bytes = try? file.readAll(limit: 256)
        else { return 0 }
        let numbers = bytes.split(separator: UInt8(ascii: " "))
        guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self)) else {
            return 0
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static var openDescriptors: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // These three do not count: the entries "." and "..", and the descriptor that reads the
        // folder.
        return max(count - 3, 0)
    }
}
