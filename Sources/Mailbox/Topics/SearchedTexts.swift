import Base
package import Topics

/// The texts of an owner's newest messages as searches compare them, in memory only. What has left
/// the history since may still be here, so what is found is read from the store.
struct SearchedTexts: Confidential {
    struct Place {
        let position: Int64
        let device: UInt32
        fileprivate let end: Int
    }

    /// Texts in one order, one behind the other.
    private struct Run {
        var places: [Place] = []
        var bytes: [UInt8] = []

        mutating func append(_ text: [UInt8], of message: TopicEntry) {
            bytes += text
            places.append(
                Place(position: message.position, device: message.device, end: bytes.count))
        }

        /// Where a text is.
        func range(_ index: Int) -> Range<Int> {
            (index == 0 ? 0 : places[index - 1].end)..<places[index].end
        }

        /// The first index from which on `isBehind` is true of all positions.
        func start(_ isBehind: (Int64) -> Bool) -> Int {
            var (low, high) = (0, places.count)
            while low < high {
                let middle = (low + high) / 2
                if isBehind(places[middle].position) { high = middle } else { low = middle + 1 }
            }
            return low
        }

        var size: Int { bytes.capacity + MemoryLayout<Place>.stride * places.capacity }
    }

    /// That of the owner's key: an owner who was forgotten has another one.
    let keyID: UInt64
    /// All texts behind `lowest` are here, through `highest`.
    private(set) var lowest: Int64
    private(set) var highest: Int64
    /// In milliseconds since the start of the machine.
    var lastUse: Int64 = 0
    /// Newest first.
    private var older = Run()
    /// Oldest first.
    private var newer = Run()

    /// None yet.
    init(of owner: TopicOwner) {
        keyID = owner.key.id
        (lowest, highest) = (owner.position, owner.position)
    }

    var size: Int { older.size + newer.size }

    func has(_ device: UInt32) -> Bool {
        older.places.contains { $0.device == device }
            || newer.places.contains { $0.device == device }
    }

    /// The next newer message.
    mutating func add(newer text: [UInt8], of message: TopicEntry) {
        newer.append(text, of: message)
        highest = message.position
    }

    /// The next older message.
    mutating func add(older text: [UInt8], of message: TopicEntry) {
        older.append(text, of: message)
        lowest = message.position - 1
    }

    /// The history has no others up to this position.
    mutating func end(newer position: Int64) { highest = position }

    /// The history has no older ones.
    mutating func endOlder() { lowest = 0 }

    /// Passes the texts before a position to `body`, newest first, until it returns false.
    func visit(
        before position: Int64, _ body: (Place, Span<UInt8>) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        for index in (0..<newer.start { $0 >= position }).reversed() {
            let text = newer.bytes.span.extracting(newer.range(index))
            guard try body(newer.places[index], text) else { return }
        }
        for index in older.start({ $0 < position })..<older.places.count {
            let text = older.bytes.span.extracting(older.range(index))
            guard try body(older.places[index], text) else { return }
        }
    }
}

extension TopicMessage {
    /// What a search looks at. No word goes from one part to the next.
    package var foldedText: [UInt8] {
        // Bytes that are no text have no words.
        guard kind == .message, !content.isBase64 else { return [] }
        var bytes: [UInt8] = []
        for part in [content.title, content.text] + content.tags {
            FoldedText.append(part, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
