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

    mutating func add(_ entry: Entry) -> UInt64 {
        last += 1
        entries[last] = entry
        return last
    }

    /// An answer may be followed by others of the same request.
    func entry(_ number: UInt64) -> Entry? { entries[number] }

    mutating func remove(_ number: UInt64) -> Entry? { entries.removeValue(forKey: number) }

    mutating func removeExpired(at now: Int64) -> [Entry] {
        let numbers = entries.filter { $0.value.deadline <= now }.keys
        return numbers.compactMap { entries.removeValue(forKey: $0) }
    }

    mutating func removeAll() -> [Entry] {
        defer { entries = [:] }
        return Array(entries.values)
    }
}
