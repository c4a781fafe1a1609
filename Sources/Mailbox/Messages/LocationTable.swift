/// Positions of messages that senders may still withdraw, by the first word of their location.
struct LocationEntry: FlatEntry {
    static let vacant = LocationEntry(key: 0, position: 0)

    let key: UInt64
    let position: Int64
}

extension FlatTable<LocationEntry> {
    func position(_ location: UInt64) -> Int64? { self[max(1, location)]?.position }

    mutating func set(_ location: UInt64, position: Int64) {
        set(LocationEntry(key: max(1, location), position: position))
    }

    mutating func remove(location: UInt64) { remove(max(1, location)) }
}
