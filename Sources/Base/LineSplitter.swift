/// Cuts a stream of bytes at its line feeds, however the pieces come. Lines may contain any bytes.
package struct LineSplitter: Sendable {
    package enum Line: Equatable, Sendable {
        case bytes([UInt8])
        /// The line was longer than the limit and was skipped.
        case tooLong
    }

    private let limit: Int
    private var pending: [UInt8] = []
    /// Where the next line begins, and up to where no line feed was found.
    private var start = 0
    private var searched = 0
    /// The beginning of the line was dropped.
    private var isCut = false

    package init(limit: Int) { self.limit = limit }

    /// The line that is not complete yet is longer than the limit.
    package var isOverlong: Bool {
        isCut || searched == pending.count && pending.count - start > limit
    }

    /// Whether `next` has a line.
    package var hasNext: Bool { pending[searched...].contains(UInt8(ascii: "\n")) }

    package mutating func append(_ bytes: Span<UInt8>) {
        if !hasNext {
            searched = pending.count
            isCut = isOverlong
            if isCut { start = pending.count }
        }
        pending.removeFirst(start)
        (start, searched) = (0, searched - start)
        pending.append(contentsOf: bytes)
    }

    /// The next line without its line feed; nil if none is complete.
    package mutating func next() -> Line? {
        let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n"))
        searched = end.map { $0 + 1 } ?? pending.count
        return end.map { line(to: $0) }
    }

    /// What is left when the stream has ended; nil if that is nothing.
    package mutating func takeRest() -> Line? {
        start == pending.count && !isCut ? nil : line(to: pending.count)
    }

    private mutating func line(to end: Int) -> Line {
        let line = isCut || end - start > limit ? Line.tooLong : .bytes(Array(pending[start..<end]))
        isCut = false
        start = min(end + 1, pending.count)
        // Between lines it needs no memory.
        if start == pending.count { (pending, start, searched) = ([], 0, 0) }
        return line
    }
}
