import Reactor
import SQLite
import System

/// Checks on a thread of its own what takes long: the pages, and the values of the large tables.
/// Meanwhile the index is filled from the same file, which does not rely on either.
final class SlowInspection: Sendable {
    private final class Answer: Sendable {
        let finding = Lock<StoreFault?>(nil)
    }

    private let answer = Answer()
    /// Nil once it has ended.
    private let thread: Lock<WorkThread?>

    init(of path: String) throws(StoreFault) {
        do throws(ReactorError) {
            thread = Lock(
                try WorkThread(name: "store-check") { [answer] in
                    let finding = Self.finding(path)
                    answer.finding.withLock { $0 = finding }
                })
        } catch { throw .thread(code: error.code) }
    }

    deinit { end() }

    /// Waits for the end, and fails unless the file is sound. May be called again.
    func finish() throws(StoreFault) {
        end()
        if let finding = answer.finding.withLock({ $0 }) { throw finding }
    }

    /// What is wrong with the file explains what goes wrong in `body`.
    func explaining<Result: ~Copyable>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        do throws(StoreFault) { return try body() } catch {
            try finish()
            throw error
        }
    }

    private func end() {
        let ended = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        ended?.join()
    }

    private static func finding(_ path: String) -> StoreFault? {
        do throws(SQLiteError) {
            return try Schema.inspection.slowFinding(path).map(StoreFault.damaged)
        } catch { return StoreFault(error) }
    }
}
