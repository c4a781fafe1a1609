import System

/// When the writer gives free pages of the file back to the disk: when nothing has happened for a
/// while, and more than half of the file holds nothing. It then goes on until none is free, or until
/// there is something else to do.
struct FreePageSchedule {
    /// How long nothing must have happened, in milliseconds.
    static let calm: Int64 = 1_000
    /// A file may keep as many free pages as this, whatever its size: 4 MiB.
    private static let kept = 1_024
    /// A step takes about as long as a commit: the next one is longer or shorter.
    private static let stepTime: ClosedRange<Int64> = 5...15
    private static let steps = 1...256

    /// What the file's state was when something was last done, and when to look at it.
    private var progress: Int64 = .min
    private var lookAt: Int64?
    private var isAtWork = false
    private var step = 64

    /// Milliseconds until `rest` has something to do; nil for never.
    mutating func patience(_ executor: BatchExecutor, at now: Int64) -> Int64? {
        if executor.progress != progress {
            progress = executor.progress
            lookAt = now + Self.calm
        }
        return lookAt.map { max($0 - now, 0) }
    }

    /// Call it when the writer has been idle.
    mutating func rest(_ executor: BatchExecutor, at now: Int64) throws(StoreFault) {
        guard let lookAt, lookAt <= now, executor.progress == progress else { return }
        // Each step makes the WAL longer. While a reader holds it back, it is not copied.
        guard executor.walPages <= CheckpointSchedule.idlePages else { return putOff(now) }
        do throws(StoreFault) { try goOn(executor, at: now) } catch {
            guard error.isFull else { throw error }
            // Nothing was changed, and the store works as before. A short step may find room.
            step = Self.steps.lowerBound
            putOff(now)
        }
    }

    private mutating func putOff(_ now: Int64) { lookAt = now + Self.calm }

    private mutating func goOn(_ executor: BatchExecutor, at now: Int64) throws(StoreFault) {
        let (all, free) = try executor.pages()
        guard free > (isAtWork ? 0 : max(Self.kept, all / 2)) else { return try end(executor) }
        isAtWork = true
        guard try executor.giveBack(pages: step) else { return try end(executor) }
        let time = Boot.milliseconds - now
        if time < Self.stepTime.lowerBound { step = min(2 * step, Self.steps.upperBound) }
        if time > Self.stepTime.upperBound { step = max(step / 2, Self.steps.lowerBound) }
    }

    /// The file gets shorter when the WAL has been copied.
    private mutating func end(_ executor: BatchExecutor) throws(StoreFault) {
        lookAt = nil
        if isAtWork { _ = try executor.checkpoint(.passive) }
        isAtWork = false
    }
}
