import CShims
import Glibc

/// Keeps the secrets of this process out of files and away from the user's other processes.
package enum ProcessGuard {
    /// No core files, no debugger of the same user, no Swift crash report with memory contents, new
    /// files for their owner only. A peer that hangs up becomes an error of `write` instead of a
    /// signal.
    package static func harden() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try ensure("setrlimit") { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
        _ = try ensure("prctl") { cshims_forbid_dumping() }
        for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(crash, SIG_DFL) }
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }

    /// For a command that never holds a secret. Other programs cannot tell whether a hardened
    /// process is in a sandbox, and this command must show that it is not.
    package static func showItself() throws(SystemError) {
        _ = try ensure("prctl") { cshims_allow_dumping() }
    }
}
