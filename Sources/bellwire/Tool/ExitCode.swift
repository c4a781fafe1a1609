import Glibc

/// How the program ends. Scripts rely on these numbers.
enum ExitCode: Int32 {
    case success = 0
    /// Something on this machine failed: a file, a key, a library.
    case failure = 1
    /// The command line is wrong.
    case usage = 2
    /// The other side refused, and would refuse the same again.
    case refused = 3
    /// Try again later: no connection, or the other side asks to wait.
    case unavailable = 4

    func exit() -> Never { Glibc.exit(rawValue) }
}
