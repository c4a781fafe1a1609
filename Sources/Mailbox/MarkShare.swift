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
