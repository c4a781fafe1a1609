/// What SQLite's hooks lead to, kept until the connection is closed.
// Unchecked: it is used by the thread of its connection alone.
final class HookContexts: @unchecked Sendable {
    private var contexts: [AnyObject] = []

    /// The pointer to give to SQLite, which counts no references.
    func keep(_ context: AnyObject) -> UnsafeMutableRawPointer {
        contexts.append(context)
        return Unmanaged.passUnretained(context).toOpaque()
    }
}
