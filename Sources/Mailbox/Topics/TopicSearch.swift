import Base
import Crypto
import SQLite
import System
package import Topics

/// A search in the history of an owner's topics.
package struct TopicSearchRequest: Sendable, Confidential {
    package let page: TopicPageRequest
    package let words: FoldedWords

    /// The page is divided at the messages that have all these words, and has only them.
    package init(_ page: TopicPageRequest, for words: FoldedWords) {
        (self.page, self.words) = (page, words)
    }
}

/// A search that is under way.
final class TopicSearch {
    let request: TopicSearchRequest
    let devices: Set<UInt32>
    /// What is not older than this was looked at.
    var position: Int64
    /// So many messages were opened for it.
    var opened = 0
    private(set) var found: [TopicEntry] = []

    init(_ request: TopicSearchRequest) {
        self.request = request
        devices = Set(request.page.devices)
        position = max(request.page.before ?? .max, 0)
    }

    var isFull: Bool { found.count > request.page.limit }

    func add(_ message: TopicEntry) {
        guard message.message.kind == .message else { return }
        if message.message.time >= request.page.since ?? .min { found.append(message) }
    }

    /// `isWhole`: there is nothing more to look at.
    func page(isWhole: Bool) -> TopicPage {
        var page = TopicPage()
        page.entries = Array(found.prefix(request.page.limit))
        if isFull {
            page.next = page.entries.last?.position
        } else if !isWhole {
            page.next = position
        }
        return page
    }
}

/// Searches, in turns. Use it on one thread.
final class TopicSearches {
    enum Turn {
        case unfinished
        /// Nil if it cannot be read now.
        case done(TopicPage?)
    }

    /// So many messages are opened for one answer.
    private static let openedAtMost = 200_000
    /// How long texts are kept after the last search, in milliseconds.
    private static let patience: Int64 = 5 * 60_000

    private let sealers: TopicSealers
    private let limits: StoreLimits
    private var texts: [UInt32: SearchedTexts] = [:]

    init(_ sealers: TopicSealers, _ limits: StoreLimits) {
        (self.sealers, self.limits) = (sealers, limits)
    }

    var isEmpty: Bool { texts.isEmpty }

    func dropUnused(at now: Int64) {
        texts = texts.filter { now - $0.value.lastUse < Self.patience }
    }

    /// A topic has ended, or has another name.
    func forget(_ device: UInt32) { texts = texts.filter { !$0.value.has(device) } }

    func goOn(
        _ search: TopicSearch, on connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> Turn {
        try connection.run("BEGIN")
        defer { connection.rollBack() }
        switch try TopicOwner.find(search.request.page.owner, on: connection, &sealer) {
        case .unreadable: return .done(nil)
        case .none: return .done(TopicPage())
        case .owner(let owner):
            let now = Boot.milliseconds
            let rows = OwnerRows(owner: owner, sealers: sealers, end: now + limits.searchTurn)
            // Taken out, so that it is not copied.
            var known = texts.removeValue(forKey: owner.row) ?? SearchedTexts(of: owner)
            if known.keyID != owner.key.id { known = SearchedTexts(of: owner) }
            known.lastUse = now
            defer { texts[owner.row] = known }
            let turn = try goOn(search, &known, rows, connection)
            guard case .done(var page?) = turn else { return turn }
            try page.markCleared(of: owner, connection)
            return .done(page)
        }
    }

    private func goOn(
        _ search: TopicSearch, _ known: inout SearchedTexts, _ rows: OwnerRows,
        _ connection: borrowing Connection
    ) throws(StoreFault) -> Turn {
        guard try readNewer(&known, rows, connection) else { return .unfinished }
        var visited = 0
        try known.visit(before: search.position) { place, text throws(StoreFault) in
            visited += 1
            guard visited % 256 != 0 || !rows.isOver else { return false }
            search.position = place.position
            guard search.devices.contains(place.device), search.request.words.areIn(text)
            else { return true }
            let found = try TopicRows.entry(
                at: place.position, of: rows.owner, sealers, connection)
            if let found { search.add(found.entry) }
            return !search.isFull
        }
        if search.isFull { return .done(search.page(isWhole: false)) }
        guard visited == 0 || !rows.isOver else { return .unfinished }
        search.position = min(search.position, known.lowest + 1)
        let isWhole = try readOlder(search, &known, rows, connection)
        if isWhole || search.isFull { return .done(search.page(isWhole: isWhole)) }
        return search.opened < Self.openedAtMost
            ? .unfinished : .done(search.page(isWhole: false))
    }

    /// False if there is more.
    private func readNewer(
        _ known: inout SearchedTexts, _ rows: OwnerRows, _ connection: borrowing Connection
    ) throws(StoreFault) -> Bool {
        guard known.highest < rows.owner.position else { return true }
        let isWhole = try rows.read(
            known.highest + 1..<rows.owner.position + 1, .oldestFirst, connection
        ) { message in
            known.add(newer: message.message.foldedText, of: message)
            return !rows.isOver
        }
        guard isWhole else { return false }
        known.end(newer: rows.owner.position)
        // The newest are kept, so all begins anew.
        if !hasRoom(beside: known) { known = SearchedTexts(of: rows.owner) }
        return true
    }

    /// True at the end of the history.
    private func readOlder(
        _ search: TopicSearch, _ known: inout SearchedTexts, _ rows: OwnerRows,
        _ connection: borrowing Connection
    ) throws(StoreFault) -> Bool {
        var isKept = search.position == known.lowest + 1 && hasRoom(beside: known)
        let isWhole = try rows.read(0..<search.position, .newestFirst, connection) { message in
            search.position = message.position
            search.opened += 1
            let text = message.message.foldedText
            if isKept { known.add(older: text, of: message) }
            if search.devices.contains(message.device), search.request.words.areIn(text.span) {
                search.add(message)
            }
            if search.opened % 256 == 0, isKept { isKept = hasRoom(beside: known) }
            return !rows.isOver && !search.isFull
        }
        if isWhole, isKept { known.endOlder() }
        return isWhole
    }

    /// Makes room at the expense of other owners, who have not searched as recently.
    private func hasRoom(beside known: SearchedTexts) -> Bool {
        while texts.values.reduce(known.size, { $0 + $1.size }) > limits.searchMemory {
            guard let last = texts.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
                return false
            }
            texts[last.key] = nil
        }
        return true
    }
}

/// The history of an owner, in the order of its positions.
private struct OwnerRows {
    let owner: TopicOwner
    let sealers: TopicSealers
    /// When the turn is over.
    let end: Int64

    var isOver: Bool { Boot.milliseconds >= end }

    /// Passes messages to `body` until it returns false; true if there are no more. Those that do
    /// not open are left out.
    func read(
        _ range: Range<Int64>, _ order: TopicRows.Order, _ connection: borrowing Connection,
        _ body: (TopicEntry) -> Bool
    ) throws(StoreFault) -> Bool {
        let select = try connection.statement(
            """
            SELECT \(TopicRows.Row.columns) FROM topic_message
            WHERE place >= ?1 AND place < ?2 AND sealed IS NOT NULL ORDER BY place \(order.rawValue)
            """, TopicRows.key(range.lowerBound, of: owner.row),
            TopicRows.key(min(range.upperBound, owner.position + 1), of: owner.row))
        while try select.step() {
            guard let entry = try TopicRows.entry(select, of: owner, sealers) else { continue }
            guard body(entry) else { return false }
        }
        return true
    }
}
