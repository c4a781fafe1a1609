import Glibc

/// Reads standard input, or another stream, line by line. Lines may contain any bytes.
package struct LineReader: ~Copyable {
    package enum Line {
        case bytes([UInt8])
        /// The line was longer than the limit and was skipped.
        case tooLong
    }

    private let limit: Int
    /// The caller keeps it open.
    private let number: Int32
    private var pending: [UInt8] = []
    /// Where the next line begins, and up to where no line feed was found.
    private var start = 0
    private var searched = 0
    private var isOverlong = false
    private var isAtEnd = false

    package init(limit: Int) { self.init(limit: limit, from: STDIN_FILENO) }

    init(limit: Int, from number: Int32) {
        self.limit = limit
        self.number = number
    }

    /// Nil at the end. A last line without a line feed counts.
    package mutating func next() throws(SystemError) -> Line? {
        while true {
            if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (start, searched) = (end + 1, end + 1) }
                return line(to: end)
            }
            if isAtEnd {
                defer { (start, searched) = (pending.count, pending.count) }
                return start == pending.count && !isOverlong ? nil : line(to: pending.count)
            }
            try readMore()
        }
    }

    /// Whether `next` can return without reading.
    package var hasNext: Bool {
        isAtEnd || pending[searched...].contains(UInt8(ascii: "\n"))
    }

    /// Reads once; true if `next` can then return without reading.
    package mutating func fill() throws(SystemError) -> Bool {
        try readMore()
        return hasNext
    }

    private mutating func readMore() throws(SystemError) {
        pending.removeFirst(start)
        start = 0
        if pending.count > limit {
            isOverlong = true
            pending.removeAll()
        }
        searched = pending.count
        let chunk = try readChunk(number)
        isAtEnd = chunk.isEmpty
        pending += chunk
    }

    private mutating func line(to end: Int) -> Line {
        defer { isOverlong = false }
        return isOverlong || end - start > limit ? .tooLong : .bytes(Array(pending[start..<end]))
    }
}
