import Glibc

enum Clock {
    /// CPU seconds this thread has used.
    static var cpu: Double {
        let time = read(CLOCK_THREAD_CPUTIME_ID)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// CPU seconds all threads have used.
    static var processCPU: Double {
        let time = read(CLOCK_PROCESS_CPUTIME_ID)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The time in nanoseconds, read without a system call.
    static var nanoseconds: Int {
        let time = read(CLOCK_MONOTONIC)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
