import Base
import Crypto
import SQLite
import Topics

/// Reads the history of topics. Use it on one thread.
final class TopicReading {
    /// Messages and bytes in one page of a stream.
    private static let (pageMessages, pageBytes) = (200, 512 << 10)

    private let sealers = TopicSealers()

    func answer(
        _ query: TopicQuery, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> TopicAnswer {
        // Everything is read at the same moment.
        try connection.run("BEGIN")
        defer { connection.rollBack() }
        switch query {
        case .page(let request):
            return .page(try page(request, from: connection, &sealer))
        case .stream(let request, let subscription):
            guard let owner = try TopicOwner.load(subscription.owner, from: connection, &sealer)
            else { return .stream(StreamPage([], through: 0)) }
            return .stream(
                try page(
                    request, StreamedHistory(owner: owner, topics: subscription.topics),
                    connection))
        case .newest(let owner):
            return .newest(
                try connection.number("SELECT position FROM topic_owner WHERE row = ?1", owner))
        }
    }

    /// Messages that do not open are left out: nobody could do anything about them.
    private func page(
        _ request: TopicPageRequest, from connection: borrowing Connection,
        _ sealer: inout Sealer
    ) throws(StoreFault) -> TopicPage {
        var page = TopicPage()
        guard let owner = try TopicOwner.load(request.owner, from: connection, &sealer) else {
            return page
        }
        let select = try connection.statement(
            """
            SELECT \(TopicRows.Row.columns) FROM topic_message
            WHERE place > ?1 AND place < ?2 AND time >= ?3 AND sealed IS NOT NULL
            AND topic IN (\(Self.list(request.devices))) ORDER BY place DESC
            """, TopicRows.key(0, of: request.owner),
            TopicRows.key(request.before ?? 0, of: request.owner + (request.before == nil ? 1 : 0)),
            request.since ?? .min)
        while try select.step() {
            if page.entries.count == request.limit {
                page.hasMore = true
                break
            }
            if let entry = try entry(select, of: owner) { page.entries.append(entry) }
        }
        return page
    }

    static func list(_ devices: some Sequence<UInt32>) -> String {
        devices.map(String.init).joined(separator: ", ")
    }

    private func entry(
        _ select: borrowing StoreStatement, of owner: TopicOwner
    ) throws(StoreFault) -> TopicEntry? {
        guard let row = TopicRows.row(select) else { return nil }
        let sealed = select.bytes(5)
        guard let record = try sealers.open(sealed.span, at: row.position, of: owner) else {
            return nil
        }
        let message = TopicMessage(
            id: row.id, row.kind, sequence: record.sequence.isEmpty ? nil : record.sequence,
            time: row.time, expires: record.expires == 0 ? nil : record.expires, record.content)
        return TopicEntry(position: row.position, device: row.device, message: message)
    }
}

/// Pages of streams.
extension TopicReading {
    private func page(
        _ request: StreamPageRequest, _ history: StreamedHistory,
        _ connection: borrowing Connection
    ) throws(StoreFault) -> StreamPage {
        switch request {
        case .replay(let since):
            let plan = try history.plan(since, connection)
            return try page(history, after: plan.range.after, plan.range, plan, connection)
        case .replayed(let range, let after):
            return try page(history, after: max(after, range.after), range, nil, connection)
        case .missed(let after): return try page(history, after: after, nil, nil, connection)
        }
    }

    private func page(
        _ history: StreamedHistory, after position: Int64, _ range: ReplayRange?,
        _ plan: ReplayPlan?, _ connection: borrowing Connection
    ) throws(StoreFault) -> StreamPage {
        let owner = history.owner.owner
        let end = range?.through ?? history.owner.position
        var (messages, bytes, through) = ([PlacedMessage](), 0, end)
        guard position < end else { return StreamPage([], through: end, plan: plan) }
        let select = try connection.statement(
            """
            SELECT \(TopicRows.Row.columns) FROM topic_message
            WHERE place > ?1 AND place <= ?2 AND sealed IS NOT NULL
            AND topic IN (\(Self.list(history.topics.keys))) ORDER BY place
            """, TopicRows.key(max(position, 0), of: owner), TopicRows.key(end, of: owner))
        while try select.step() {
            guard let entry = try entry(select, of: history.owner),
                let topic = history.topics[entry.device],
                range?.has(entry.position, time: entry.message.time, topic: topic) ?? true
            else { continue }
            messages.append(PlacedMessage(entry.message, in: topic, at: entry.position))
            bytes += select.withBytes(5) { $0.count }
            guard messages.count < Self.pageMessages, bytes < Self.pageBytes else {
                through = entry.position
                break
            }
        }
        return StreamPage(messages, through: through, plan: plan)
    }
}

/// The history as a stream sees it when it is read.
private struct StreamedHistory {
    let owner: TopicOwner
    let topics: [UInt32: TopicName]

    func plan(
        _ since: StreamSince, _ connection: borrowing Connection
    ) throws(StoreFault) -> ReplayPlan {
        var known: Int64?
        if case .id(let id) = since { known = try position(of: id, connection) }
        var plan = ReplayPlan(since, position: known, newest: owner.position)
        let list = TopicReading.list(topics.keys)
        let select = try connection.statement(
            """
            SELECT place, time, topic, size FROM topic_message
            WHERE place > ?1 AND place < ?2 AND sealed IS NOT NULL AND topic IN (\(list))
            ORDER BY place DESC
            """, TopicRows.key(max(known ?? 0, 0), of: owner.owner),
            TopicRows.key(0, of: owner.owner + 1))
        while try select.step() {
            guard let topic = topics[UInt32(clamping: select.integer(2))] else { continue }
            plan.count(
                TopicRows.position(ofKey: select.integer(0)), time: select.integer(1),
                topic: topic, size: Int(select.integer(3)))
        }
        let evicted = try connection.statement(
            "SELECT evicted, evicted_time, device FROM topic WHERE device IN (\(list))")
        while try evicted.step() {
            guard let topic = topics[UInt32(clamping: evicted.integer(2))],
                evicted.integer(0) > 0
            else { continue }
            plan.evicted(evicted.integer(0), time: evicted.integer(1), topic: topic)
        }
        return plan
    }

    /// Where a reader goes on who has seen this message; nil if nobody knows it any more.
    private func position(
        of id: TopicMessageID, _ connection: borrowing Connection
    ) throws(StoreFault) -> Int64? {
        guard let number = id.number else { return nil }
        let select = try connection.statement(
            "SELECT place FROM topic_message WHERE id = ?1 AND place > ?2 AND place < ?3",
            Int64(bitPattern: number), TopicRows.key(0, of: owner.owner),
            TopicRows.key(0, of: owner.owner + 1))
        return try select.step() ? TopicRows.position(ofKey: select.integer(0)) : nil
    }
}
