import Base
import Crypto
import Delivery
import SQLite
import Topics

/// What topics keep, and what comes to them later, as their readers get it.
extension ExportedMoment {
    func history(
        of holder: Holder, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        let select = try connection.statement(
            """
            SELECT \(TopicRows.Row.columns) FROM topic_message
            WHERE topic = ?1 AND place > ?2 AND sealed IS NOT NULL ORDER BY place LIMIT ?3
            """, holder.row, cursor.row, Int64(limit))
        return try collect(select, of: holder, &cursor) { owner, sealers throws(StoreFault) in
            try TopicRows.entry(select, of: owner, sealers)?.message
        }
    }

    func scheduled(
        of holder: Holder, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        let select = try connection.statement(
            """
            SELECT \(ScheduledRows.columns) FROM topic_scheduled
            WHERE topic = ?1 AND row > ?2 ORDER BY row LIMIT ?3
            """, holder.row, cursor.row, Int64(limit))
        return try collect(select, of: holder, &cursor) { owner, sealers throws(StoreFault) in
            let row = ScheduledRows.row(select)
            let record: ScheduledRecord? = try sealers.open(
                row.sealed.span, at: ScheduledRows.place(row.number), of: owner)
            return record?.scheduled(row)?.post.message
        }
    }

    /// Each row as an object. The first column is the row's number.
    private func collect(
        _ select: borrowing StoreStatement, of holder: Holder, _ cursor: inout ExportCursor,
        _ message: (TopicOwner, TopicSealers) throws(StoreFault) -> TopicMessage?
    ) throws(StoreFault) -> [[UInt8]] {
        var (items, bytes) = ([[UInt8]](), 0)
        while bytes < store.limits.pageBytes, try select.step() {
            cursor.row = select.integer(0)
            var found: TopicMessage?
            if case .owner(let owner) = try loadedTopicOwner() {
                found = try message(owner, topicSealers)
            }
            items.append(found.map { item($0, of: holder) } ?? Self.unreadable("row", cursor.row))
            bytes += items.last?.count ?? 0
        }
        return items
    }

    private func item(_ message: TopicMessage, of holder: Holder) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + message.content.text.utf8.count)
        writer.object { writer in
            holder.write(to: &writer)
            NtfyJSON.write(message, to: &writer)
        }
        return writer.bytes
    }

    private func loadedTopicOwner() throws(StoreFault) -> TopicOwner.Found {
        if let topicOwner { return topicOwner }
        let found = try TopicOwner.find(owner, on: connection, &sealer)
        topicOwner = found
        return found
    }
}
