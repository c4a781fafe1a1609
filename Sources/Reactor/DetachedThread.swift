import CShims
import Glibc

/// A thread that nobody waits for: for work that blocks for as long as others like.
package enum DetachedThread {
    private final class Start: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    /// Runs `work` once.
    package static func start(
        name: String, _ work: @escaping @Sendable () -> Void
    ) throws(ReactorError) {
        let start = Start {
            cshims_name_thread(name)
            work()
        }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(start)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw ReactorError("pthread_create", code: code)
        }
        pthread_detach(thread)
    }
}
