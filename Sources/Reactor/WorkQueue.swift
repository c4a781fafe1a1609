/// The calls waiting to run on the thread of a loop, in order.
struct WorkQueue {
    private static let roomToKeep = 4_096

    private var current: [Work] = []
    private var position = 0
    /// Added since `current` was begun.
    private var next: [Work] = []
    private var mail: [Work] = []

    var isEmpty: Bool { position == current.count && next.isEmpty }

    mutating func append(_ work: Work) { next.append(work) }

    /// Appends the calls of other threads.
    mutating func collect(from post: LoopMail) {
        post.move(into: &mail)
        guard !mail.isEmpty else { return }
        if next.isEmpty {
            swap(&next, &mail)
        } else {
            next += mail
        }
        Self.empty(&mail)
    }

    mutating func popFirst() -> Work? {
        if position == current.count {
            Self.empty(&current)
            position = 0
            swap(&current, &next)
            if current.isEmpty { return nil }
        }
        defer { position += 1 }
        return current[position]
    }

    /// Frees the memory of a burst.
    private static func empty(_ work: inout [Work]) {
        work.removeAll(keepingCapacity: work.capacity <= roomToKeep)
    }
}
