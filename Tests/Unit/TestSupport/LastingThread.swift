import Foundation

/// A thread that runs one piece of work after another and ends with the process.
// Unchecked: the waiting work is used only under the condition.
final class LastingThread: @unchecked Sendable {
    private let condition = NSCondition()
    private var waiting: [() -> Void] = []

    init() {
        Thread { [self] in while true { next()() } }.start()
    }

    /// Returns when the work is done.
    func run<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        var result: Result<Value, any Error>?
        condition.withLock {
            waiting.append {
                result = Result(catching: body)
                done.signal()
            }
            condition.signal()
        }
        done.wait()
        guard let result else { preconditionFailure("the work has no result") }
        return try result.get()
    }

    private func next() -> () -> Void {
        condition.withLock {
            while waiting.isEmpty { condition.wait() }
            return waiting.removeFirst()
        }
    }
}
