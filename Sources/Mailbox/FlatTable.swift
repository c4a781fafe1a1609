/// An entry of a `FlatTable`. A key of zero marks a vacant place.
protocol FlatEntry: BitwiseCopyable, Sendable {
    static var vacant: Self { get }
    var key: UInt64 { get }
}

/// Entries of fixed size side by side, found by their key, without a pointer or an allocation each.
///
/// Open addressing with linear probing. The table grows by half, so an entry costs between 1.15 and
/// 1.75 times its size.
struct FlatTable<Entry: FlatEntry>: ~Copyable {
    private(set) var count = 0
    private var room: Int
    private var entries: UnsafeMutablePointer<Entry>

    init(expecting count: Int = 0) {
        room = max(16, count / 7 * 8 + count / 64)
        entries = Self.vacantEntries(room)
    }

    deinit { entries.deallocate() }

    subscript(key: UInt64) -> Entry? {
        let place = place(of: key)
        return entries[place].key == key ? entries[place] : nil
    }

    /// Replaces the entry with the same key, if there is one.
    mutating func set(_ entry: Entry) {
        precondition(entry.key != 0, "the key is zero, which marks a vacant place")
        if (count + 1) * 8 > room * 7 { grow() }
        let place = place(of: entry.key)
        if entries[place].key == 0 { count += 1 }
        entries[place] = entry
    }

    /// Changes the entry with this key, but not the key itself; nil if there is none.
    mutating func update<Result>(_ key: UInt64, _ body: (inout Entry) -> Result) -> Result? {
        let place = place(of: key)
        guard entries[place].key == key else { return nil }
        return body(&entries[place])
    }

    @discardableResult
    mutating func remove(_ key: UInt64) -> Entry? {
        var hole = place(of: key)
        guard entries[hole].key == key else { return nil }
        let removed = entries[hole]
        count -= 1
        // This moves the entries behind the hole up, unless that would put one before its home.
        var place = following(hole)
        while entries[place].key != 0 {
            let distance = (place - home(of: entries[place].key) + room) % room
            if distance >= (place - hole + room) % room {
                entries[hole] = entries[place]
                hole = place
            }
            place = following(place)
        }
        entries[hole] = .vacant
        if room > Self.smallRoom, count < room / 8 { resize(to: max(count * 2, Self.smallRoom)) }
        return removed
    }

    /// The place where the key is, or would be.
    private func place(of key: UInt64) -> Int {
        var place = home(of: key)
        while entries[place].key != key, entries[place].key != 0 { place = following(place) }
        return place
    }

    private func following(_ place: Int) -> Int { place + 1 == room ? 0 : place + 1 }

    private func home(of key: UInt64) -> Int {
        // Spreads keys that count up; the high bits then choose the place.
        let spread = key &* 0x9E37_79B9_7F4A_7C15
        return Int(spread.multipliedFullWidth(by: UInt64(room)).high)
    }

    /// A table above this size shrinks again after a burst.
    private static var smallRoom: Int { 4_096 }

    private mutating func grow() { resize(to: room + room / 2) }

    private mutating func resize(to size: Int) {
        let (former, formerRoom) = (entries, room)
        room = size
        entries = Self.vacantEntries(room)
        for index in 0..<formerRoom where former[index].key != 0 {
            entries[place(of: former[index].key)] = former[index]
        }
        former.deallocate()
    }

    private static func vacantEntries(_ count: Int) -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: .vacant, count: count)
        return entries
    }
}

/// How many marks of a shared table belong to one owner.
struct MarkShare: FlatEntry {
    static let vacant = MarkShare(key: 0)

    /// The owner's row plus one, because row zero is in use.
    let key: UInt64
    var count = 1
}

extension FlatTable where Entry == MarkShare {
    func count(of row: UInt32) -> Int { self[UInt64(row) + 1]?.count ?? 0 }

    mutating func add(to row: UInt32) {
        let key = UInt64(row) + 1
        if update(key, { $0.count += 1 }) == nil { set(MarkShare(key: key)) }
    }

    mutating func subtract(from row: UInt32) {
        let key = UInt64(row) + 1
        let rest = update(key) { share in
            share.count -= 1
            return share.count
        }
        if rest == 0 { remove(key) }
    }
}
