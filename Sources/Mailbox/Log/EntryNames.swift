extension CommitEntry {
    /// It changes nothing, and only asks the others to wait.
    var asks: Bool { changes.isEmpty && news.isEmpty }

    /// It changes nothing, and all stores look at what they are after it.
    var compares: Bool { changes.isEmpty && news == Self.comparison }
    static let comparison = Array("compare".utf8)

    /// Who wrote it, until it was opened anew.
    struct Writer: Hashable {
        fileprivate let number: UInt64
    }

    var writer: Writer { Writer(number: name >> EntryNames.bits) }
}

/// The names of the entries of one writer: who it is, and a number. It begins both at random, and
/// gives no number twice.
struct EntryNames {
    fileprivate static let bits: UInt64 = 40
    private static let numbers: UInt64 = 1 << bits - 1

    let writer: CommitEntry.Writer
    private var number: UInt64

    init(startingAt random: UInt64) {
        number = random & Self.numbers
        writer = CommitEntry.Writer(number: random >> Self.bits)
    }

    mutating func next() -> UInt64 {
        number = (number + 1) & Self.numbers
        return writer.number << Self.bits | number
    }
}
