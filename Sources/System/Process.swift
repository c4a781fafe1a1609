import Base
import CShims
import Glibc

/// Keeps the secrets of this process out of files and away from the user's other processes.
package enum ProcessGuard {
    /// Prevents core files, debuggers of the same user, and Swift crash reports with memory
    /// contents. New files are for their owner only. When a peer hangs up, `write` returns an error
    /// instead of raising a signal.
    package static func harden() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try ensure("setrlimit") { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
        _ = try ensure("prctl") { cshims_forbid_dumping() }
        for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(crash, SIG_DFL) }
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Undoes part of `harden`, for a command that never holds a secret. Other programs cannot tell
    /// whether a hardened process is in a sandbox, and this command must show that it is not.
    package static func showItself() throws(SystemError) {
        _ = try ensure("prctl") { cshims_allow_dumping() }
    }
}

package enum ProcessOwner {
    /// The user with whose rights this process acts.
    package static var userID: UInt32 { geteuid() }
}

/// The time at which a process began. With its number it identifies the process for good.
package enum ProcessStart {
    /// The start in ticks since the machine was started (proc(5), field 22 of `stat`); nil if there
    /// is no such process or it cannot be read.
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

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
    /// Raises the limit as far as the administrator allows and returns it. The default is low
    /// because some programs still use select(2).
    package static func raise() throws(SystemError) -> Int {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        _ = try ensure("getrlimit") { getrlimit(kind, &limit) }
        limit.rlim_cur = limit.rlim_max
        _ = try ensure("setrlimit") { setrlimit(kind, &limit) }
        return Int(clamping: limit.rlim_cur)
    }
}

package enum Heap {
    /// Gives free memory of malloc back to the system. This takes milliseconds for each hundred
    /// megabytes.
    package static func trim() { cshims_trim_heap() }
}

/// The variables this process was started with.
package enum Environment {
    package static subscript(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Each as `NAME=VALUE`.
    package static var all: [String] {
        var result: [String] = []
        var pointer = environ
        while let variable = pointer.pointee {
            result.append(String(cString: variable))
            pointer += 1
        }
        return result
    }

    /// The values of the variables `names` that are set.
    package static func values(of names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { values[name] = self[name] }
        return values
    }
}

package enum HostName {
    /// The name that this machine gives itself. It may contain any characters.
    package static var current: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        // Fails only for names longer than Linux allows; the name is then empty.
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

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

/// Starts this program anew, in this process.
package enum ProgramStart {
    /// Only returns if it fails. Descriptors are closed, and other threads end.
    package static func anew(_ arguments: [String]) -> SystemError {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        // Also if its file was replaced meanwhile.
        execv("/proc/self/exe", words)
        return SystemError("execv")
    }
}

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
