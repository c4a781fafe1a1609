import Base
import Crypto
import SQLite
import Topics

/// Reads the history of topics. Use it on one thread.
final class TopicReading {
    /// Messages and bytes in one page of a stream.
    private static let (pageMessages, pageBytes) = (200, 512 << 10)
    /// A list of long messages has fewer of them.
    private static let listBytes = 4 << 20

    private let sealers = TopicSealers()
    let searches: TopicSearches

    init(_ limits: StoreLimits) { searches = TopicSearches(sealers, limits) }

    /// Nil if it cannot be read now.
    func answer(
        _ query: TopicQuery, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> TopicAnswer? {
        // Everything is read at the same moment.
        try connection.run("BEGIN")
        defer { connection.rollBack() }
        switch try TopicOwner.find(query.owner, on: connection, &sealer) {
        case .unreadable: return nil
        case .none: return query.nothing
        case .owner(let owner):
            switch query {
            case .page(let request):
                var page = try page(request, of: owner, connection)
                try page.markCleared(of: owner, connection)
                return .page(page)
            case .stream(let request, let subscription):
                return .stream(try page(request, subscription, of: owner, connection))
            case .newest: return .newest(owner.position)
            case .kept: return .kept(try kept(by: owner, connection))
            case .picture(let device, _):
                return .picture(try picture(of: device, owner, connection))
            case .message(let id, _):
                let position = try StreamedHistory(owner: owner, topics: [:], isOwners: true)
                    .position(of: id, connection)
                return .message(
                    try position.flatMap { position throws(StoreFault) in
                        try TopicRows.entry(at: position, of: owner, sealers, connection)?.entry
                    })
            case .questions(_, let devices):
                var questions: [Question] = []
                for device in devices {
                    for row in try QuestionRows.open(in: device, on: connection) {
                        guard let found = try QuestionRows.open(row, sealers, of: owner) else {
                            continue
                        }
                        questions.append(found)
                    }
                }
                return .questions(questions.sorted { $0.expires < $1.expires })
            }
        }
    }

    /// Behind the last message, there may be events. Among so many, it is not looked for.
    private static let keptMessages = """
        SELECT device, count, bytes, (SELECT max(time) FROM (SELECT time, kind FROM topic_message
        WHERE topic = device AND sealed IS NOT NULL ORDER BY place DESC LIMIT 100)
        WHERE kind = \(TopicMessage.Kind.message.rawValue))
        FROM topic WHERE owner = ?1 AND ended = 0
        """

    private func kept(
        by owner: TopicOwner, _ connection: borrowing Connection
    ) throws(StoreFault) -> [UInt32: KeptMessages] {
        let select = try connection.statement(Self.keptMessages, owner.row)
        var kept: [UInt32: KeptMessages] = [:]
        while try select.step() {
            kept[UInt32(clamping: select.integer(0))] = KeptMessages(
                count: Int(select.integer(1)), bytes: Int(select.integer(2)),
                newest: select.isNull(3) ? nil : select.integer(3))
        }
        return kept
    }

    /// Messages that do not open are left out: nobody could do anything about them.
    private func page(
        _ request: TopicPageRequest, of owner: TopicOwner, _ connection: borrowing Connection
    ) throws(StoreFault) -> TopicPage {
        var page = TopicPage()
        var (bytes, end) = (0, max(request.before ?? .max, 0))
        // The kinds are not in the index, and nearly all are the same, so they are asked for only if
        // that does not fill the page: then as many others may be in between as topics keep.
        var (asked, kind) = (0, request.since == nil ? nil : request.kind)
        while true {
            // The last one only says that there is more.
            asked = max(request.limit + 1 - page.entries.count, 2 * asked)
            let places = try Places(
                of: request.devices, in: owner, 0..<min(end, owner.position + 1), .newestFirst,
                since: request.since, kind: kind, limit: asked, connection)
            for place in places.found {
                guard bytes < Self.listBytes else {
                    page.next = end
                    return page
                }
                let found = try TopicRows.entry(
                    at: place.position, ofKind: request.kind, of: owner, sealers, connection)
                if let found {
                    guard page.entries.count < request.limit else {
                        page.next = end
                        return page
                    }
                    page.entries.append(found.entry)
                    bytes += found.size
                }
                end = place.position
            }
            guard places.found.count == asked else { return page }
            kind = request.kind
        }
    }

    /// The question with this id, whoever asks, or that there is none; nil if it cannot be read now.
    func question(
        _ id: TopicMessageID, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> Question?? {
        try connection.run("BEGIN")
        defer { connection.rollBack() }
        guard let row = try QuestionRows.find(id, on: connection),
            let owner = try connection.rows(
                "SELECT owner FROM topic WHERE device = ?1 AND ended = 0", row.device
            ).first
        else { return .some(nil) }
        switch try TopicOwner.find(owner, on: connection, &sealer) {
        case .unreadable: return nil
        case .none: return .some(nil)
        case .owner(let found): return .some(try QuestionRows.open(row, sealers, of: found))
        }
    }

    private func picture(
        of device: UInt32, _ owner: TopicOwner, _ connection: borrowing Connection
    ) throws(StoreFault) -> TopicPicture? {
        let select = try connection.statement(
            "SELECT sealed FROM topic_picture WHERE topic = ?1", device)
        guard try select.step() else { return nil }
        let sealed = select.bytes(0)
        return try sealers.open(sealed.span, at: TopicPicture.place(device), of: owner)
    }
}

/// Pages of streams.
extension TopicReading {
    private func page(
        _ request: StreamPageRequest, _ subscription: TopicSubscription, of owner: TopicOwner,
        _ connection: borrowing Connection
    ) throws(StoreFault) -> StreamPage {
        let history = StreamedHistory(
            owner: owner, topics: subscription.topics, isOwners: subscription.isOwners)
        let (range, plan): (ReplayRange, ReplayPlan?)
        let page: StreamPage
        switch request {
        case .replay(let since):
            let made = try history.plan(since, connection)
            (range, plan) = (made.range, made)
            page = try self.page(history, after: range.after, range, plan, connection)
        case .replayed(let replayed, let after):
            (range, plan) = (replayed, nil)
            page = try self.page(history, after: max(after, range.after), range, nil, connection)
        case .missed(let after): return try self.page(history, after: after, nil, nil, connection)
        }
        guard subscription.wantsScheduled, page.through >= range.through else { return page }
        let scheduled = ScheduledReading(
            owner: owner, topics: subscription.topics, sealers: sealers)
        return StreamPage(
            page.messages + (try scheduled.messages(connection)), through: page.through,
            plan: plan)
    }

    private func page(
        _ history: StreamedHistory, after position: Int64, _ range: ReplayRange?,
        _ plan: ReplayPlan?, _ connection: borrowing Connection
    ) throws(StoreFault) -> StreamPage {
        let (owner, end) = (history.owner, range?.through ?? history.owner.position)
        guard position < end else {
            return StreamPage([], through: max(position, end), plan: plan)
        }
        let places = try Places(
            of: Array(history.topics.keys), in: owner, max(position, 0) + 1..<end + 1,
            .oldestFirst, withTimes: true, limit: Self.pageMessages, connection)
        var (messages, bytes, through) = ([PlacedMessage](), 0, end)
        for place in places.found {
            guard let topic = history.topics[place.device],
                range?.has(place.position, time: place.time, topic: topic) ?? true,
                let found = try TopicRows.entry(at: place.position, of: owner, sealers, connection)
            else { continue }
            messages.append(PlacedMessage(found.entry.message, in: topic, at: place.position))
            bytes += found.size
            guard bytes < Self.pageBytes else {
                through = place.position
                break
            }
        }
        if places.found.count == Self.pageMessages, let last = places.found.last {
            through = min(through, last.position)
        }
        return StreamPage(messages, through: through, plan: plan)
    }
}

/// Where the next messages of some topics are, in the order of the owner. Each topic is asked for its
/// own, because for many at once SQLite would sort their whole history; and only for what comes
/// before the last that those before it have, because most of the others' would be dropped again.
private struct Places {
    struct Place {
        let position: Int64
        let device: UInt32
        let time: Int64
    }

    private(set) var found: [Place] = []

    /// Reading times and kinds takes a row for each place; the places alone are in an index.
    init(
        of devices: [UInt32], in owner: TopicOwner, _ range: Range<Int64>,
        _ order: TopicRows.Order, withTimes: Bool = false, since: Int64? = nil,
        kind: TopicMessage.Kind? = nil, limit: Int, _ connection: borrowing Connection
    ) throws(StoreFault) {
        let select = try connection.statement(
            """
            SELECT place, \(withTimes ? "time" : "0") FROM topic_message
            WHERE topic = ?1 AND sealed IS NOT NULL AND place >= ?2 AND place < ?3
            \(since == nil ? "" : "AND time >= ?5") \(kind == nil ? "" : "AND kind = ?6")
            ORDER BY place \(order.rawValue) LIMIT ?4
            """)
        var range = range
        for device in devices {
            try select.bind(Int64(device), at: 1)
            try select.bind(TopicRows.key(range.lowerBound, of: owner.row), at: 2)
            try select.bind(TopicRows.key(range.upperBound, of: owner.row), at: 3)
            try select.bind(Int64(limit), at: 4)
            if let since { try select.bind(since, at: 5) }
            if let kind { try select.bind(Int64(kind.rawValue), at: 6) }
            while try select.step() {
                found.append(
                    Place(
                        position: TopicRows.position(ofKey: select.integer(0)), device: device,
                        time: select.integer(1)))
            }
            select.reset()
            keepFirst(limit, in: order)
            guard found.count == limit, let last = found.last?.position else { continue }
            range =
                order == .oldestFirst ? range.lowerBound..<last : last + 1..<range.upperBound
        }
    }

    private mutating func keepFirst(_ limit: Int, in order: TopicRows.Order) {
        found.sort { left, right in
            order == .oldestFirst
                ? left.position < right.position : left.position > right.position
        }
        if found.count > limit { found.removeLast(found.count - limit) }
    }
}

/// The history as a stream sees it when it is read.
private struct StreamedHistory {
    let owner: TopicOwner
    let topics: [UInt32: TopicName]
    let isOwners: Bool

    /// Decides what a replay has, without opening a message.
    func plan(
        _ since: StreamSince, _ connection: borrowing Connection
    ) throws(StoreFault) -> ReplayPlan {
        var known: Int64?
        if case .id(let id) = since { known = try position(of: id, connection) }
        var plan = ReplayPlan(since, position: known, newest: owner.position)
        let select = try connection.statement(
            """
            SELECT place, time, size FROM topic_message
            WHERE topic = ?1 AND place > ?2 AND sealed IS NOT NULL AND kind <= ?3
            ORDER BY place DESC
            """)
        let last: TopicMessage.Kind = isOwners ? .dismissal : .poll
        let evicted = try connection.statement(
            "SELECT evicted, evicted_time FROM topic WHERE device = ?1")
        for (device, topic) in topics {
            try select.bind(Int64(device), at: 1)
            try select.bind(TopicRows.key(max(known ?? 0, 0), of: owner.row), at: 2)
            try select.bind(Int64(last.rawValue), at: 3)
            while try select.step() {
                plan.count(
                    TopicRows.position(ofKey: select.integer(0)), time: select.integer(1),
                    topic: topic, size: Int(select.integer(2)))
            }
            select.reset()
            try evicted.bind(Int64(device), at: 1)
            if try evicted.step(), evicted.integer(0) > 0 {
                plan.evicted(evicted.integer(0), time: evicted.integer(1), topic: topic)
            }
            evicted.reset()
        }
        plan.endCount()
        return plan
    }

    /// Where a reader goes on who has seen this message; nil if nobody knows it any more.
    func position(
        of id: TopicMessageID, _ connection: borrowing Connection
    ) throws(StoreFault) -> Int64? {
        // A reader may come from the server where the message was before.
        let select = try connection.statement(
            "SELECT place FROM topic_message WHERE id = ?1 AND place > ?2 AND place < ?3",
            Int64(bitPattern: id.folded), TopicRows.key(0, of: owner.row),
            TopicRows.key(0, of: owner.row + 1))
        return try select.step() ? TopicRows.position(ofKey: select.integer(0)) : nil
    }
}
