import Base
import Delivery
import SQLite
import Topics

/// Files that came to topics, without their content.
extension ExportedMoment {
    func files(
        of holder: Holder, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        guard holder.registration != nil else { return [] }
        let select = try connection.statement(
            """
            SELECT row, message, size, expires FROM topic_file
            WHERE topic = ?1 AND row > ?2 ORDER BY row LIMIT ?3
            """, holder.row, cursor.row, Int64(limit))
        return try collect(select, limit, &cursor) { select, writer in
            let message = TopicMessageID(number: UInt64(bitPattern: select.integer(1)))
            writer.member("message", message.text)
            holder.write(to: &writer)
            writer.member("size", Int(select.integer(2)))
            writer.member("expires", seconds(StoreTime(milliseconds: select.integer(3))))
        }.items
    }
}
