/// The engines in the writer's memory.
///
/// An engine without listeners stays while there is room, or the next push would have to read it.
struct LoadedEngines {
    private var engines: [UInt32: LoadedEngine] = [:]
    /// The size of all of them.
    private var size = 0
    private let room: Int
    /// Above this size, engines without listeners are unloaded.
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

    /// Updates its sizes on the disk.
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
        // Engines in use may exceed the room; without a higher bound every insertion would scan
        // them all again.
        bound = max(room, 2 * size)
    }
}
