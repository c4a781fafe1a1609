import Glibc

/// How the program ends. Scripts may rely on these numbers.
enum ExitCode: Int32 {
    case success = 0
    /// Something on this machine failed: a file, a key, a library.
    case failure = 1
    /// The command was called in a way it does not know.
    case usage = 2
    /// The other side refused, and would refuse the same again.
    case refused = 3
    /// Not now: no connection, or the other side asks to come back later.
    case unavailable = 4

    func exit() -> Never { Glibc.exit(rawValue) }
}
