import Glibc
import Reactor
import System

/// Ends a process that was asked to, whatever hangs in it. What it has accepted is on the disk.
enum LastResort {
    /// Within the five seconds that are promised.
    private static let limit: UInt32 = 4_500_000

    /// The word about it has a thread of its own: whoever is to read it may be what hangs.
    static func arm(_ log: Log, _ event: StaticString) {
        do throws(ReactorError) {
            try WorkThread(name: "end") {
                usleep(limit)
                _exit(ExitCode.success.rawValue)
            }.letGo()
            try WorkThread(name: "end-log") {
                usleep(limit - 200_000)
                log.write(.error, event)
            }.letGo()
        } catch {
            // Then the service manager does it.
            log.write(.warning, "no-last-resort", [("reason", error.description)])
        }
    }
}
