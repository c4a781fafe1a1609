/// The engines in the writer's memory.
///
/// One to which nobody listens stays while there is room: the next push would have to read it again.
struct LoadedEngines {
    private var engines: [UInt32: LoadedEngine] = [:]
    /// Of all of them.
    private var size = 0
    private let room: Int
    /// Beyond it some are given up.
    private var bound: Int

    init(room: Int) {
        self.room = room
        bound = room
    }

    subscript(row: UInt32) -> LoadedEngine? { engines[row] }

    mutating func insert(_ engine: LoadedEngine) {
        engines[engine.row] = engine
        size += engine.size
    }

    mutating func remove(_ row: UInt32) {
        if let engine = engines.removeValue(forKey: row) { size -= engine.size }
    }

    /// What the disk has of it is of other sizes now.
    mutating func resize(_ engine: LoadedEngine, journal: Int, state: Int) {
        size -= engine.size
        engine.journalSize = journal
        engine.stateSize = state
        size += engine.size
    }

    mutating func giveUp(unless isNeeded: (UInt32) -> Bool) {
        guard size > bound else { return }
        engines = engines.filter { isNeeded($0.key) }
        size = engines.values.reduce(0) { $0 + $1.size }
        // Those that are needed may take more than there is room for: they are not gone through again
        // for each that comes.
        bound = max(room, 2 * size)
    }
}
