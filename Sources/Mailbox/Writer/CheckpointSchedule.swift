import System

/// When the writer copies the WAL into the database file: at `idlePages` when it has nothing else to
/// do, or at `manyPages` at the latest. That is about 1 MiB and 32 MiB: others wait while it copies.
///
/// A copied WAL keeps its size on the disk, which saves making it again while much is written. When
/// that is over, the writer gives back what exceeds `keptBytes`.
struct CheckpointSchedule {
    /// How long the writer has to be idle, in milliseconds.
    private static let idleTime: Int64 = 50
    static let idlePages = 256
    private static let manyPages = 8_192
    /// The WAL takes at most this part of the free disk space, so it never fills the disk with pages
    /// that could be copied into the file.
    private static let partOfDisk = 8
    private static let pageSize = 4_096
    static let keptBytes = 8 << 20
    /// How long after a checkpoint of many pages the WAL file may be cut, in milliseconds.
    private static let calm: Int64 = 1_000

    private let path: String
    private var pages = 0
    /// When to look at the size of the WAL file; nil if it cannot be large. A WAL from before the
    /// start may be.
    private var lookAt: Int64? = 0

    init(path: String) {
        self.path = path
        pages = pageLimit
    }

    func isDue(_ executor: BatchExecutor) -> Bool { executor.walPages > pages }

    /// Milliseconds of idleness after which `rest` has something to do; nil for never.
    func patience(_ executor: BatchExecutor, at now: Int64) -> Int64? {
        if executor.walPages > Self.idlePages { return Self.idleTime }
        return lookAt.map { max($0 - now, Self.idleTime) }
    }

    mutating func checkpoint(
        _ executor: BatchExecutor, at now: Int64
    ) throws(StoreFault) {
        if executor.walPages > Self.keptBytes / Self.pageSize { lookAt = now + Self.calm }
        let isWhole = try executor.checkpoint(.passive)
        // After a checkpoint held up by a reader, wait until there is as much again to copy.
        pages = (isWhole ? 0 : executor.walPages) + pageLimit
    }

    /// Call it when the writer has been idle.
    mutating func rest(_ executor: BatchExecutor, at now: Int64) throws(StoreFault) {
        if executor.walPages > Self.idlePages { try checkpoint(executor, at: now) }
        guard let time = lookAt, time <= now else { return }
        lookAt = nil
        guard FileSize.bytes(of: path + "-wal") ?? 0 > Self.keptBytes else { return }
        // Nothing waits for a reader here: it is tried again later.
        if try !executor.checkpoint(.cutting) { lookAt = now + Self.calm }
    }

    private var pageLimit: Int {
        let room = FreeSpace.bytes(at: path) ?? .max
        return min(max(room / Self.partOfDisk / Self.pageSize, Self.idlePages), Self.manyPages)
    }
}
