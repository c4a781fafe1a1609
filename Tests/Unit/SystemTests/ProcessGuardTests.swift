import Foundation
import Testing

@testable import System

@Suite("The process guards its secrets")
struct ProcessGuardTests {
    @Test("No core file, no debugger of the same user, files for the owner only")
    func harden() async {
        await #expect(processExitsWith: .success) {
            try ProcessGuard.harden()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            guard limit.rlim_cur == 0, limit.rlim_max == 0 else { exit(1) }
            // The kernel gives the files of an undumpable process to root.
            var status = stat()
            stat("/proc/self/environ", &status)
            guard status.st_uid == 0 else { exit(2) }
            for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
                var action = sigaction()
                sigaction(crash, nil, &action)
                guard action.__sigaction_handler.sa_handler == nil else { exit(4) }
            }
            guard umask(0) == 0o077 else { exit(3) }
            exit(0)
        }
    }
}
