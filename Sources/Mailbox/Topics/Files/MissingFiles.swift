import Base

/// The files of messages that this store has without the files, and when other stores are asked for
/// them: a value, which asks no clock.
///
/// The newest go first. What nobody gave is tried again after a pause, behind what came meanwhile.
struct MissingFiles {
    /// So many are on their way at once, and more if readers wait for them.
    static let (atOnce, withReaders) = (4, 8)

    private var lacking: Set<FileMark> = []
    private var underWay: Set<FileMark> = []
    /// Those that readers wait for, in their order.
    private var wanted: [FileMark] = []
    /// The next one is the last.
    private var round: [FileMark] = []
    /// Those that nobody gave, in the order of the round.
    private var failed: [FileMark] = []
    /// Those of both lists: each is there once.
    private var listed: Set<FileMark> = []
    private var retries = Backoff(first: .seconds(1), longest: .seconds(60))
    /// When those that failed are tried again, in milliseconds since boot; nil before all others were.
    private(set) var due: Int64?

    var count: Int { lacking.count }

    /// The newest is the last.
    mutating func add(_ marks: [FileMark]) {
        for mark in marks {
            lacking.insert(mark)
            if !underWay.contains(mark), listed.insert(mark).inserted { round.append(mark) }
        }
    }

    /// A reader waits for it.
    mutating func want(_ mark: FileMark) {
        lacking.insert(mark)
        if !underWay.contains(mark), !wanted.contains(mark) { wanted.append(mark) }
    }

    /// It is here, or not needed any more.
    mutating func remove(_ mark: FileMark) {
        lacking.remove(mark)
        underWay.remove(mark)
    }

    /// Nobody gave it.
    mutating func failed(_ mark: FileMark) {
        guard underWay.remove(mark) != nil, listed.insert(mark).inserted else { return }
        failed.append(mark)
    }

    /// The next one to ask for, which is under way from then on. Call it whenever something has
    /// changed, and when it is `due`, until it returns nil.
    mutating func next(at now: Int64) -> FileMark? {
        while underWay.count < Self.withReaders, !wanted.isEmpty {
            let mark = wanted.removeFirst()
            if begin(mark) { return mark }
        }
        if let due, due <= now {
            round = failed.reversed() + round
            (failed, self.due) = ([], nil)
        }
        while underWay.count < Self.atOnce, let mark = round.popLast() {
            listed.remove(mark)
            if begin(mark) { return mark }
        }
        if round.isEmpty, underWay.isEmpty, due == nil {
            if failed.isEmpty {
                retries.reset()
            } else {
                due = now + retries.next().wholeMilliseconds
            }
        }
        return nil
    }

    private mutating func begin(_ mark: FileMark) -> Bool {
        lacking.contains(mark) && underWay.insert(mark).inserted
    }
}
