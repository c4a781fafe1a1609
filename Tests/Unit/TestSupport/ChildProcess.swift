import Foundation

/// A process that was started here, by its number, and what is known of its end.
///
/// Nobody else takes note of its end, so until that is done here no other process has its number.
// Unchecked: what changes is touched under the condition.
final class ChildProcess: @unchecked Sendable {
    private let identifier: pid_t
    private let condition = NSCondition()
    private var end: Int32?

    /// `descriptors` become those from zero on, and it gets no others.
    init(
        _ program: String, _ arguments: [String], _ environment: [String: String],
        descriptors: [Int32]
    ) throws {
        let words = [Self.setpriv, "--pdeathsig", "KILL", "--", program] + arguments
        let variables = environment.map { "\($0.key)=\($0.value)" }
        identifier = try Self.starter.run { try Self.start(words, variables, descriptors) }
        // Whoever waits for the end of any process must not meet this one for ever.
        Thread { [self] in reap() }.start()
    }

    /// The exit code, or the number of the signal that ended it; nil while it runs.
    var status: Int32? { condition.withLock { end } }

    /// Nothing is signalled once it has ended.
    func signal(_ number: Int32) {
        condition.withLock { if end == nil { kill(identifier, number) } }
    }

    func wait() -> Int32 {
        condition.withLock {
            while true {
                if let end { return end }
                condition.wait()
            }
        }
    }

    private func reap() {
        var state = siginfo_t()
        while waitid(P_PID, id_t(identifier), &state, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        condition.withLock {
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            end = status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
            condition.broadcast()
        }
    }

    /// Has a process killed when who started it ends, whatever ends that.
    private static let setpriv = "/usr/bin/setpriv"

    /// A process hears of the end of the thread that started it, so that must be the last one to end.
    private static let starter = LastingThread()

    private static func start(
        _ words: [String], _ variables: [String], _ descriptors: [Int32]
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What the tests block or ignore is no matter of the others.
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

    /// What the tests have open stays theirs: a peer waits for its end in vain where another has it too.
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
