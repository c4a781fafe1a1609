import System

/// When the writer copies the WAL into the database file: at `idlePages` when it has nothing else to
/// do, or at `manyPages` at the latest. That is about 1 MiB and 64 MiB.
struct CheckpointSchedule {
    /// How long the writer has to be idle, in milliseconds.
    static let idleTime: Int64 = 50
    private static let idlePages = 256
    private static let manyPages = 16_384
    /// The WAL takes at most this part of the free disk space, so it never fills the disk with pages
    /// that could be copied into the file.
    private static let partOfDisk = 8
    private static let pageSize = 4_096

    private let path: String
    private var pages = 0

    init(path: String) {
        self.path = path
        pages = pageLimit
    }

    func isDue(_ executor: BatchExecutor) -> Bool { executor.walPages > pages }
    func isDueWhenIdle(_ executor: BatchExecutor) -> Bool { executor.walPages > Self.idlePages }

    mutating func checkpoint(_ executor: BatchExecutor) throws(StoreFault) {
        let isWhole = try executor.checkpoint(.passive)
        // After a checkpoint that a reader held up, the next one waits until there is as much again
        // to copy.
        pages = (isWhole ? 0 : executor.walPages) + pageLimit
    }

    private var pageLimit: Int {
        let room = FreeSpace.bytes(at: path) ?? .max
        return min(max(room / Self.partOfDisk / Self.pageSize, Self.idlePages), Self.manyPages)
    }
}
