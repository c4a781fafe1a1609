/// A Huffman code as in DEFLATE, given by the lengths of its words (RFC 1951 section 3.2.2).
struct PrefixCode {
    /// The state of reading one word bit by bit.
    struct Search {
        var word = 0
        /// The first word of the current length, and the index of its symbol.
        var first = 0
        var place = 0
    }

    static let longest = 15

    /// The number of words of each length.
    private var counts = [Int](repeating: 0, count: longest + 1)
    /// Sorted by their words.
    private var symbols: [Int] = []

    /// Refuses codes with too many or too few words. Exceptions: a single word may be incomplete,
    /// and an unused code may be empty.
    init(lengths: [Int]) throws(Inflater.Damage) {
        self.init(complete: lengths)
        var room = 1
        for length in 1...Self.longest {
            room = room * 2 - counts[length]
            guard room >= 0 else { throw Inflater.Damage() }
        }
        guard room == 0 || symbols.count <= 1 else { throw Inflater.Damage() }
    }

    /// Makes a code from lengths that are known to be valid.
    init(complete lengths: [Int]) {
        for length in lengths where length > 0 { counts[length] += 1 }
        symbols = lengths.indices.filter { lengths[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    /// Adds a bit to the word; returns its symbol if the word is complete.
    func symbol(_ search: inout Search, adding bit: Int, _ length: Int) -> Int? {
        search.word |= bit
        let count = counts[length]
        let index = search.word - search.first
        if index < count { return symbols[search.place + index] }
        search.place += count
        search.first = (search.first + count) << 1
        search.word <<= 1
        return nil
    }
}
