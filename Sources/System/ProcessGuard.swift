import CShims
import Glibc

/// Keeps the secrets of this process out of files and away from other processes of the user.
package enum ProcessGuard {
    /// No core file, no debugger by the same user, no crash report of Swift's with memory in it,
    /// files for the owner alone; a peer that hangs up is an error of `write`, not the end.
    package static func harden() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try ensure("setrlimit") { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
        _ = try ensure("prctl") { cshims_forbid_dumping() }
        for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(crash, SIG_DFL) }
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }

    /// For a command that never holds a secret and has to show others that it is in no sandbox,
    /// which nobody can tell of a hardened process.
    package static func showItself() throws(SystemError) {
        _ = try ensure("prctl") { cshims_allow_dumping() }
    }
}
