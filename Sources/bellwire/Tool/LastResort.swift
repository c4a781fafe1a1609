import Glibc
import Reactor
import System

/// Ends a process that was told to end, even if it hangs. Accepted messages are on the disk.
enum LastResort {
    /// The process promises to end within five seconds.
    private static let limit: UInt32 = 4_500_000

    /// The log line has a thread of its own, because the log's reader may be what hangs.
    static func arm(_ log: Log, _ event: StaticString, _ code: ExitCode = .success) {
        do throws(ReactorError) {
            try WorkThread(name: "end") {
                usleep(limit)
                _exit(code.rawValue)
            }.letGo()
            try WorkThread(name: "end-log") {
                usleep(limit - 200_000)
                log.write(.error, event)
            }.letGo()
        } catch {
            // The service manager will end the process instead.
            log.write(.warning, "no-last-resort", [("reason", error.description)])
        }
    }
}
