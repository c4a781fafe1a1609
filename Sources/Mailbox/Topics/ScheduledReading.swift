import Delivery
import SQLite
import Topics

/// Reads messages that are not due yet, for readers who want them.
struct ScheduledReading {
    /// A reader gets no more of them than this, those that are due first.
    private static let bytes = 2 << 20

    let owner: TopicOwner
    let topics: [UInt32: TopicName]
    let sealers: TopicSealers

    /// A replay has them behind its last message: they have no place among what has come.
    func messages(_ connection: borrowing Connection) throws(StoreFault) -> [PlacedMessage] {
        var found: [(due: StoreTime, message: PlacedMessage)] = []
        let select = try connection.statement(
            """
            SELECT \(ScheduledRows.columns) FROM topic_scheduled
            WHERE topic = ?1 ORDER BY due, row
            """)
        for (device, topic) in topics {
            try select.bind(Int64(device), at: 1)
            var rest = Self.bytes / topics.count
            while rest > 0, try select.step() {
                let row = ScheduledRows.row(select)
                rest -= row.sealed.count
                let record: ScheduledRecord? = try sealers.open(
                    row.sealed.span, at: ScheduledRows.place(row.number), of: owner)
                guard let post = record?.scheduled(row)?.post else { continue }
                found.append((row.due, PlacedMessage(post.message, in: topic, at: nil)))
            }
            select.reset()
        }
        return found.sorted { $0.due < $1.due }.map(\.message)
    }
}
