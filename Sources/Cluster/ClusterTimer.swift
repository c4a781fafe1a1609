import Reactor
import System

/// The thread that does what is due, many times a second, until it is stopped.
final class ClusterTimer: Sendable {
    /// In milliseconds.
    private static let interval: Int64 = 50

    private let thread: WorkThread
    private let end = Awaited<Void>()

    init(_ tick: @escaping @Sendable () -> Void) throws(ClusterFault) {
        do throws(ReactorError) {
            thread = try WorkThread(name: "cluster") { [end] in
                while end.wait(atMost: Self.interval) == nil { tick() }
            }
        } catch { throw .thread(code: error.code) }
    }

    /// Once. Not from the thread itself.
    func stop() {
        end.bring(())
        thread.join()
    }
}
