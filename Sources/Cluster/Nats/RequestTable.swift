/// Requests that wait for answers, by the number in the subject of the answer. It is a value that
/// asks no clock.
struct RequestTable {
    struct Entry: Sendable {
        let handler: NatsConnection.AnswerHandler
        /// Milliseconds since boot.
        let deadline: Int64
    }

    private var entries: [UInt64: Entry] = [:]
    private var last: UInt64 = 0
    private var isClosed = false

    mutating func add(_ entry: Entry) -> UInt64 {
        last += 1
        entries[last] = entry
        return last
    }

    /// An answer may be followed by others of the same request. Its entry is out of the table while
    /// one is handled, so that nobody gives it up meanwhile. False if no answer can come any more.
    mutating func putBack(_ entry: Entry, _ number: UInt64) -> Bool {
        if !isClosed { entries[number] = entry }
        return !isClosed
    }

    mutating func remove(_ number: UInt64) -> Entry? { entries.removeValue(forKey: number) }

    mutating func removeExpired(at now: Int64) -> [Entry] {
        let numbers = entries.filter { $0.value.deadline <= now }.keys
        return numbers.compactMap { entries.removeValue(forKey: $0) }
    }

    mutating func removeAll() -> [Entry] {
        defer { entries = [:] }
        return Array(entries.values)
    }

    mutating func close() -> [Entry] {
        isClosed = true
        return removeAll()
    }
}
