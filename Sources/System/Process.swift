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

package enum ProgramFile {
    /// The file that this process runs, without links; nil if the system does not say.
    package static var path: String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &text, text.count)
        guard count > 0, count < text.count else { return nil }
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
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

    /// Those of `names` that are set.
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
