/// How much of each kind every owner has; the empty name stands for all owners together.
///
/// Database triggers count every row that is added, changed or deleted, so the count is right
/// whatever changes the rows and whether or not the transaction commits.
extension Schema {
    static let shares =
        """
        CREATE TABLE share (
            kind TEXT NOT NULL, owner TEXT NOT NULL, count INTEGER NOT NULL,
            bytes INTEGER NOT NULL, PRIMARY KEY (kind, owner)
        ) WITHOUT ROWID;

        """ + ShareKind.allCases.map(\.sql).joined()
}

enum ShareKind: String, CaseIterable {
    case engine
    case callback
    case answer = "kept_answer"
    case registration

    /// The column that holds a row's size, or whose length is that size.
    private var column: String {
        switch self {
        case .callback: "bytes"
        case .registration: "sealed"
        case .engine, .answer: "size"
        }
    }

    /// The size of a row.
    func size(of row: String = "") -> String {
        self == .registration ? "length(\(row)\(column))" : row + column
    }

    fileprivate var sql: String {
        let (table, former, size) = (rawValue, size(of: "old."), size(of: "new."))
        return """
            INSERT INTO share VALUES ('\(table)', '', 0, 0);
            CREATE TRIGGER \(table)_comes AFTER INSERT ON \(table) BEGIN
                INSERT OR IGNORE INTO share VALUES ('\(table)', new.owner, 0, 0);
                UPDATE share SET count = count + 1, bytes = bytes + \(size)
                    WHERE kind = '\(table)' AND owner IN ('', new.owner);
            END;
            CREATE TRIGGER \(table)_changes AFTER UPDATE OF \(column) ON \(table) BEGIN
                UPDATE share SET bytes = bytes + \(size) - \(former)
                    WHERE kind = '\(table)' AND owner IN ('', new.owner);
            END;
            CREATE TRIGGER \(table)_goes AFTER DELETE ON \(table) BEGIN
                UPDATE share SET count = count - 1, bytes = bytes - \(former)
                    WHERE kind = '\(table)' AND owner IN ('', old.owner);
                DELETE FROM share WHERE kind = '\(table)' AND owner = old.owner
                    AND owner <> '' AND count = 0;
            END;

            """
    }
}

/// How much of a kind an owner has.
struct Share: Equatable {
    var count = 0
    var bytes = 0

    func isWithin(_ room: GrowthLimits.Room) -> Bool {
        count < room.count && bytes < room.bytes
    }
}

extension Transaction {
    /// Whether an owner may have more of a kind; for nil, whether anyone may.
    func hasRoom(
        for kind: ShareKind, of owner: String?, within own: GrowthLimits.Room,
        _ all: GrowthLimits.Room
    ) throws(StoreFault) -> Bool {
        guard try share(kind).isWithin(all) else { return false }
        guard let owner else { return true }
        return try share(of: owner, kind).isWithin(own)
    }

    /// The share of one owner, or of all.
    func share(of owner: String = "", _ kind: ShareKind) throws(StoreFault) -> Share {
        let select = try connection.statement(
            "SELECT count, bytes FROM share WHERE kind = ?1 AND owner = ?2", kind.rawValue, owner)
        guard try select.step() else { return Share() }
        return Share(count: Int(select.integer(0)), bytes: Int(select.integer(1)))
    }
}
