import Delivery

/// What is known about a push that carries a mark.
package enum RepetitionAnswer: Equatable, Sendable {
    /// New, and now reserved.
    case new
    /// Accepted before.
    case repeated
    /// Being accepted, or perhaps accepted already: only the store will know.
    case undecided
    /// It is not remembered, because its owner has too many marks: a repetition would count as new.
    case unmarked
}

/// The marks of recently accepted pushes, in memory. It is a value that asks no clock.
struct MarkTable: ~Copyable {
    /// The marks of one owner: enough for a push every two seconds, in as much memory as a few
    /// messages.
    static let limit = 50_000

    struct Mark: FlatEntry {
        static let vacant = Mark(key: 0, owner: 0, isKept: false)

        let key: UInt64
        let owner: UInt32
        /// Whether it is on the disk.
        var isKept: Bool
    }

    /// The table has room for this many owners with a full share.
    private static let ofAll = 40

    private let limit: Int
    private var marks = FlatTable<Mark>()
    private var shares = FlatTable<MarkShare>()

    init(limit: Int = Self.limit) { self.limit = limit }

    mutating func reserve(_ mark: RepetitionMark, owner: UInt32) -> RepetitionAnswer {
        if let known = marks[mark.key] { return known.isKept ? .repeated : .undecided }
        guard shares.count(of: owner) < limit, marks.count < limit * Self.ofAll else {
            return .unmarked
        }
        add(mark, owner: owner, isKept: false)
        return .new
    }

    /// The push was not accepted.
    mutating func release(_ mark: RepetitionMark) {
        if marks[mark.key]?.isKept == false { remove(mark) }
    }

    /// The push was accepted, and its mark is on the disk.
    mutating func keep(_ mark: RepetitionMark, owner: UInt32) {
        guard marks.update(mark.key, { $0.isKept = true }) == nil else { return }
        add(mark, owner: owner, isKept: true)
    }

    mutating func remove(_ mark: RepetitionMark) {
        guard let removed = marks.remove(mark.key) else { return }
        shares.subtract(from: removed.owner)
    }

    private mutating func add(_ mark: RepetitionMark, owner: UInt32, isKept: Bool) {
        marks.set(Mark(key: mark.key, owner: owner, isKept: isKept))
        shares.add(to: owner)
    }
}
