/// Decides when a loop ends. Pure: time and the number of watches are passed in.
struct Closing {
    private var isStopped = false
    /// Until when the watched may come to their own end; nil while the loop serves.
    private(set) var deadline: Instant?

    var isDraining: Bool { deadline != nil }

    mutating func stop() { isStopped = true }

    /// A second call can only bring the end nearer.
    mutating func drain(until instant: Instant) {
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    func ending(watched: Int, now: Instant) -> Ending? {
        if isStopped { return .stopped }
        guard let deadline else { return nil }
        if watched == 0 { return .drained }
        return now >= deadline ? .cut(watched) : nil
    }
}
