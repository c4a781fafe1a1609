import Glibc

/// A thread that has nothing else to do waits for a moment.
enum WorkPause {
    static func milliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1_000) }
}
