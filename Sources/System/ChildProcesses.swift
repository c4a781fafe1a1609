import Glibc

/// Programs that this one has started, each in a session of its own.
package struct ChildProcesses: ~Copyable {
    private var children: [pid_t] = []

    package init() {}

    /// Whether some have not ended yet, or `reap` was not called since.
    package var isEmpty: Bool { children.isEmpty }

    /// Starts the program that is the first argument, found by PATH. A quiet one has none of the
    /// standard streams.
    package mutating func start(
        _ arguments: [String], _ environment: [String], isQuiet: Bool = false
    ) throws(SystemError) {
        reap()
        children.append(try Self.spawn(arguments, environment, input: nil, isQuiet: isQuiet))
    }

    /// Forgets the children that have ended.
    package mutating func reap() {
        children.removeAll { child in
            var status: Int32 = 0
            return waitpid(child, &status, WNOHANG) != 0
        }
    }

    /// Starts a program, gives it `input` and waits until it has ended. Returns whether it has
    /// succeeded; one that takes longer than `limit` is killed. Its standard streams lead nowhere.
    package static func run(
        _ arguments: [String], input: [UInt8], limit: Duration
    ) throws(SystemError) -> Bool {
        var ends: [Int32] = [0, 0]
        // `pipe2`, which Swift does not import, would leave no moment between these.
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        // What fits into a pipe is there before the program begins.
        let written = write(ends[1], input, input.count)
        close(ends[1])
        guard written == input.count else { throw SystemError("write") }
        let child = try spawn(arguments, Environment.all, input: ends[0], isQuiet: true)
        return hasSucceeded(child, limit)
    }

    private static func hasSucceeded(_ child: pid_t, _ limit: Duration) -> Bool {
        let pause = Duration.milliseconds(10)
        var status: Int32 = 0
        for _ in 0..<max(Int(limit / pause), 1) {
            let ended = waitpid(child, &status, WNOHANG)
            guard ended == 0 || ended < 0 && errno == EINTR else {
                return ended == child && status == 0
            }
            usleep(10_000)
        }
        kill(child, SIGKILL)
        waitpid(child, &status, 0)
        return false
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], input: Int32?, isQuiet: Bool
    ) throws(SystemError) -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for number in isQuiet ? 0..<3 : 0..<0 {
            posix_spawn_file_actions_addopen(&files, Int32(number), "/dev/null", O_RDWR, 0)
        }
        if let input { posix_spawn_file_actions_adddup2(&files, input, 0) }
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
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | ownSession))
        var child: pid_t = 0
        let code = withPointers(arguments) { pointers in
            withPointers(environment) { environment in
                posix_spawnp(
                    &child, arguments.first ?? "", &files, &attributes, pointers, environment)
            }
        }
        guard code == 0 else { throw SystemError("posix_spawnp", code: code) }
        return child
    }

    /// POSIX_SPAWN_SETSID, a glibc extension that Swift does not import.
    private static let ownSession: Int32 = 0x80

    private static func withPointers<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
