import Crypto
import SQLite

/// How far the store has got with sealing everything under the current master key.
struct Resealing {
    struct Column {
        let table: StaticString
        let key: String
        let column: StaticString
        var owner = Owner.nobody
    }

    /// What a seal says about the owner of its row, as SQL.
    enum Owner {
        case nobody
        case number(String)
        case name(String)
    }

    /// What each of several stores that stay alike has for itself.
    private static let own = [
        Column(table: "state", key: "only", column: "sealed_keys")
    ]
    /// Every sealed column. `key` is the row that the seal is bound to.
    static let columns =
        own + [
            Column(
                table: "subscription", key: "row", column: "sealed_token",
                owner: .number(ofDevice)),
            Column(
                table: "message", key: "position", column: "sealed", owner: .number(ofDevice)),
            Column(
                table: "registration", key: "device", column: "sealed", owner: .name("owner")),
            Column(table: "engine", key: "row", column: "sealed", owner: .name("owner")),
            Column(table: "engine_record", key: "position", column: "sealed"),
            Column(table: "kept_answer", key: "row", column: "sealed", owner: .name("owner")),
            Column(
                table: "credential", key: "row", column: "sealed_terms", owner: .number("owner")),
            Column(table: "passkey", key: "row", column: "sealed", owner: .name("owner")),
            Column(table: "topic_owner", key: "row", column: "sealed", owner: .name("owner")),
            Column(table: "callback", key: "row", column: "sealed", owner: .name("owner")),
            Column(
                table: "callback_event", key: "position", column: "sealed",
                owner: .name("(SELECT owner FROM callback AS holder WHERE holder.row = callback)")),
        ]

    private static let ofDevice = "(SELECT owner FROM device AS holder WHERE holder.row = device)"

    /// Rows that did not open, because their key is missing or memory ran out. While there are any,
    /// every former key is still needed.
    private(set) var unopened = 0

    /// Whether it is about everything.
    let isWhole: Bool
    private let columns: [Column]
    private var index = 0
    private var lastRow = Int64.min
    /// The keys of the first and the last row of each column, as they were at the beginning.
    private var spans: [ClosedRange<Int64>?] = []

    init(isWhole: Bool = true) {
        self.isWhole = isWhole
        columns = isWhole ? Self.columns : Self.own
    }

    /// What has to be done now; nil if nothing has.
    static func needed(_ keys: StoreKeys, isShared: Bool) -> Resealing? {
        if keys.mustReseal { return Resealing() }
        return isShared ? Resealing(isWhole: false) : nil
    }

    var isDone: Bool { index == columns.count }

    /// Reseals at most `limit` rows. Rows that do not open are counted and left as they are.
    mutating func goOn(
        on connection: borrowing Connection, _ sealer: inout Sealer, limit: Int
    ) throws(StoreFault) {
        guard !isDone else { return }
        if spans.isEmpty { try measure(connection) }
        let column = columns[index]
        var rows: [(row: Int64, sealed: [UInt8], owner: Sealer.Owner)] = []
        let select = try connection.statement(
            """
            SELECT \(column.key), \(column.column), \(column.owner.sql) FROM \(column.table)
            WHERE \(column.key) > ?1 ORDER BY \(column.key) LIMIT ?2
            """, lastRow, Int64(limit))
        while try select.step() {
            rows.append((select.integer(0), select.bytes(1), column.owner.value(of: select)))
        }
        let update = try StoreStatement(
            "UPDATE \(column.table) SET \(column.column) = ?2 WHERE \(column.key) = ?1",
            on: connection)
        // A callback that was given up has nothing sealed.
        for (row, sealed, owner) in rows
        where !sealed.isEmpty && !sealer.isSealedUnderCurrentKey(sealed.span) {
            let place = Sealer.Place(
                table: column.table, row: row, column: column.column, owner: owner)
            guard let anew = Self.seal(sealed, at: place, &sealer) else {
                unopened += 1
                continue
            }
            try update.bind(row, at: 1)
            try update.bind(anew, at: 2)
            try update.run()
        }
        lastRow = rows.last?.row ?? lastRow
        if rows.count < limit {
            index += 1
            lastRow = .min
        }
    }

    private mutating func measure(_ connection: borrowing Connection) throws(StoreFault) {
        for column in columns {
            let select = try connection.statement(
                """
                SELECT (SELECT min(\(column.key)) FROM \(column.table)),
                (SELECT max(\(column.key)) FROM \(column.table))
                """)
            let isThere = try select.step() && !select.isNull(0)
            spans.append(isThere ? select.integer(0)...select.integer(1) : nil)
        }
    }

    var progress: ResealingProgress {
        let sizes = spans.map { $0.map { Int($0.upperBound - $0.lowerBound) + 1 } ?? 0 }
        var done = sizes.prefix(index).reduce(0, +)
        if index < spans.count, let span = spans[index], lastRow >= span.lowerBound {
            done += Int(min(lastRow, span.upperBound) - span.lowerBound) + 1
        }
        return ResealingProgress(done: done, total: sizes.reduce(0, +))
    }

    private static func seal(
        _ sealed: [UInt8], at place: Sealer.Place, _ sealer: inout Sealer
    ) -> [UInt8]? {
        guard let plain = try? sealer.open(sealed.span, at: place) else { return nil }
        let bytes = plain.withSpan { $0.array($0.indices) }
        // Without memory or randomness the row stays under its former key, and that key is still
        // needed.
        return try? sealer.seal(bytes.span, at: place)
    }
}

extension Resealing.Owner {
    fileprivate var sql: String {
        switch self {
        case .nobody: "NULL"
        case .number(let sql), .name(let sql): sql
        }
    }

    /// The owner, by what is in the third column.
    fileprivate func value(of row: borrowing StoreStatement) -> Sealer.Owner {
        switch self {
        case .nobody: .nobody
        case .number: .number(row.integer(2))
        case .name: .name(row.text(2))
        }
    }
}

/// How far the store has got with sealing everything under a new master key. The numbers count
/// places of rows, and some places are empty.
package struct ResealingProgress: Equatable, Sendable {
    package let done: Int
    package let total: Int

    package init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }
}
