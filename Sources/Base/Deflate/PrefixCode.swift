/// A code of Huffman's kind as DEFLATE gives it: by the lengths of its words alone (RFC 1951 section
/// 3.2.2).
struct PrefixCode {
    /// A word that is read bit by bit.
    struct Search {
        var word = 0
        /// The first word of that length, and the place of its symbol.
        var first = 0
        var place = 0
    }

    static let longest = 15

    /// How many words there are of each length.
    private var counts = [Int](repeating: 0, count: longest + 1)
    /// In the order of their words.
    private var symbols: [Int] = []

    /// Refuses what has more words than there can be, and less than there must be. A single word is
    /// not all there could be, and none is right where none is used.
    init(lengths: [Int]) throws(Inflater.Damage) {
        self.init(complete: lengths)
        var room = 1
        for length in 1...Self.longest {
            room = room * 2 - counts[length]
            guard room >= 0 else { throw Inflater.Damage() }
        }
        guard room == 0 || symbols.count <= 1 else { throw Inflater.Damage() }
    }

    /// Of lengths that are known to be right.
    init(complete lengths: [Int]) {
        for length in lengths where length > 0 { counts[length] += 1 }
        symbols = lengths.indices.filter { lengths[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    /// The symbol, if the word that grows by this bit to that length is a whole one.
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
