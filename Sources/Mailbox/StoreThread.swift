import Glibc

/// A thread of the store, which may wait for the disk.
struct StoreThread: Sendable {
    private let thread: pthread_t

    private final class Start: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) throws(StoreFault) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Start(run))
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw .thread(code: code)
        }
        self.thread = thread
    }

    /// Once.
    func join() { pthread_join(thread, nil) }
}
