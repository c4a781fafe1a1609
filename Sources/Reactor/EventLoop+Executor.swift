extension EventLoop: SerialExecutor, TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        leave(.job(UnownedJob(job)))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Handlers are called outside of any task, and may still `assumeIsolated`.
    package func checkIsolated() {
        precondition(isCurrent, "not on the thread of the loop")
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
