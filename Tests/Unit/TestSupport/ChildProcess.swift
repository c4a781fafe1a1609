import Foundation

/// A process started by the tests, and how it ended.
///
/// Only this type reaps it, so no other process can get its number before that.
// Unchecked: its mutable state is used only under the condition.
final class ChildProcess: @unchecked Sendable {
    private let identifier: pid_t
    private let condition = NSCondition()
    private var end: Int32?

    /// `descriptors` become its descriptors from zero on; it inherits no others.
    init(
        _ program: String, _ arguments: [String], _ environment: [String: String],
        descriptors: [Int32]
    ) throws {
        let words = [Self.setpriv, "--pdeathsig", "KILL", "--", program] + arguments
        let variables = environment.map { "\($0.key)=\($0.value)" }
        identifier = try Self.starter.run { try Self.start(words, variables, descriptors) }
        // Reaped at once, because code that waits for any child must not find this one.
        Thread { [self] in reap() }.start()
    }

    /// The exit code, or the number of the signal that ended it; nil while it runs.
    var status: Int32? { condition.withLock { end } }

    /// Does nothing once the process has ended. A process that is to stand still does so afterwards.
    func signal(_ number: Int32) {
        condition.withLock {
            guard end == nil else { return }
            kill(identifier, number)
            // Its threads go on until each of them has got the signal.
            if number == SIGSTOP { waitFor(WSTOPPED | WEXITED) }
        }
    }

    func wait() -> Int32 {
        condition.withLock {
            while true {
                if let end { return end }
                condition.wait()
            }
        }
    }

    /// Leaves what happened to whoever asks next.
    private func waitFor(_ changes: Int32) {
        var state = siginfo_t()
        while waitid(P_PID, id_t(identifier), &state, changes | WNOWAIT) != 0, errno == EINTR {}
    }

    private func reap() {
        waitFor(WEXITED)
        condition.withLock {
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            end = status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
            condition.broadcast()
        }
    }

    /// Kills the process when the one that started it ends, for whatever reason.
    private static let setpriv = "/usr/bin/setpriv"

    /// The kernel kills it when the thread that started it ends, so that thread must last.
    private static let starter = LastingThread()

    private static func start(
        _ words: [String], _ variables: [String], _ descriptors: [Int32]
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit blocked or ignored signals.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        keepDescriptors()
        var identifier: pid_t = 0
        let code = withPointers(words) { words in
            withPointers(variables) { variables in
                posix_spawn(&identifier, setpriv, &actions, &attributes, words, variables)
            }
        }
        guard code == 0, identifier > 0 else { throw POSIXError(.init(rawValue: code) ?? .ESRCH) }
        return identifier
    }

    /// The child must not keep our descriptors open: a peer would wait in vain for their end.
    private static func keepDescriptors() {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        for descriptor in (names ?? []).compactMap(Int32.init) where descriptor > STDERR_FILENO {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func withPointers<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
