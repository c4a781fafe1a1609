import Base
import Crypto
import Delivery
import SQLite

/// Reads and writes registrations.
enum RegistrationRows {
    private static let table: StaticString = "registration"
    private static let sealedColumn: StaticString = "sealed"
    private static let columns = "device, id, owner, revision, sealed, engine"

    static func place(_ device: UInt32, of owner: String) -> Sealer.Place {
        Sealer.Place(
            table: table, row: Int64(device), column: sealedColumn, owner: .name(owner))
    }

    static func insert(
        _ registration: Registration, _ engine: UInt32, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "INSERT INTO registration VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", registration.device,
            registration.id.bytes, registration.owner, registration.revision,
            registration.due.milliseconds, sealed, engine)
    }

    /// False if it does not exist, or was changed since `revision`.
    static func update(
        _ registration: Registration, from revision: Int64, sealed: [UInt8],
        on connection: borrowing Connection
    ) throws(StoreFault) -> Bool {
        let update = try connection.statement(
            """
            UPDATE registration SET revision = ?2, due = ?3, sealed = ?4
            WHERE device = ?1 AND revision = ?5 RETURNING device
            """, registration.device, registration.revision, registration.due.milliseconds, sealed,
            revision)
        return try update.step()
    }

    /// False if the device is not a registration.
    static func delete(
        _ device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> Bool {
        for table in ["undecryptable", "fetch_signal"] {
            try connection.run(
                "DELETE FROM \(table) WHERE device = ?1", device)
        }
        let delete = try connection.statement(
            "DELETE FROM registration WHERE device = ?1 RETURNING device", device)
        return try delete.step()
    }

    static func nextDue(on connection: borrowing Connection) throws(StoreFault) -> StoreTime? {
        let select = try StoreStatement(
            "SELECT due FROM registration ORDER BY due LIMIT 1", on: connection)
        return try select.step() ? StoreTime(milliseconds: select.integer(0)) : nil
    }

    static func putOff(
        _ device: UInt32, until due: StoreTime, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "UPDATE registration SET due = ?2 WHERE device = ?1", device, due.milliseconds)
    }
}

/// Reading. A record that cannot be unsealed is `damaged`.
extension RegistrationRows {
    enum Found {
        case none
        case registration(Registration)
        case damaged(device: UInt32)
    }

    static func find(
        device: UInt32, on connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> Found {
        let select = try connection.statement(
            "SELECT \(columns) FROM registration WHERE device = ?1", device)
        return try select.step() ? read(select, &sealer) : .none
    }

    static func find(
        _ id: RegistrationID, on connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> Found {
        let select = try connection.statement(
            "SELECT \(columns) FROM registration WHERE id = ?1", id.bytes)
        return try select.step() ? read(select, &sealer) : .none
    }

    static func due(
        at now: StoreTime, limit: Int, on connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [Found] {
        let select = try connection.statement(
            "SELECT \(columns) FROM registration WHERE due <= ?1 ORDER BY due LIMIT ?2",
            now.milliseconds, Int64(limit))
        var found: [Found] = []
        while try select.step() { found.append(read(select, &sealer)) }
        return found
    }

    /// The registrations of one owner, or all, oldest first. With a limit, only the newest ones,
    /// newest first.
    static func list(
        owner: String?, limit: Int? = nil, on connection: borrowing Connection,
        _ sealer: inout Sealer
    ) throws(StoreFault) -> [Registration] {
        let condition = owner == nil ? "" : "WHERE owner = ?1"
        let end = limit.map { "DESC LIMIT \($0)" } ?? ""
        let select = try StoreStatement(
            "SELECT \(columns) FROM registration \(condition) ORDER BY device \(end)",
            on: connection)
        if let owner { try select.bind(text: owner, at: 1) }
        var registrations: [Registration] = []
        while try select.step() {
            if case .registration(let registration) = read(select, &sealer) {
                registrations.append(registration)
            }
        }
        return registrations
    }

    /// Registrations of one owner, or of one of its devices, after a device row.
    static func page(
        owner: String, credential: UInt32?, after device: Int64, limit: Int,
        on connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> [Found] {
        let select = try connection.statement(
            """
            SELECT \(columns) FROM registration WHERE owner = ?1 AND (?2 IS NULL OR EXISTS
            (SELECT 1 FROM device WHERE device.row = registration.device AND credential = ?2))
            AND device > ?3 ORDER BY device LIMIT ?4
            """, owner, credential, device, Int64(limit))
        var found: [Found] = []
        while try select.step() { found.append(read(select, &sealer)) }
        return found
    }

    private static func read(_ row: borrowing StoreStatement, _ sealer: inout Sealer) -> Found {
        let (device, owner) = (UInt32(clamping: row.integer(0)), row.text(2))
        // The caller cannot use the reason why it does not open.
        let record = row.withBytes(4) { try? sealer.open($0, at: place(device, of: owner)) }
        guard let id = row.withBytes(1, { RegistrationID($0) }), let record,
            let registration = Registration(
                record: record.withSpan { $0.array($0.indices) }, id: id, device: device,
                owner: owner, revision: row.integer(3),
                engine: UInt32(clamping: row.integer(5)))
        else { return .damaged(device: device) }
        return .registration(registration)
    }

    static func undecryptable(
        _ device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> [(reason: String, count: Int)] {
        let select = try connection.statement(
            "SELECT reason, count FROM undecryptable WHERE device = ?1 ORDER BY reason", device)
        var counts: [(reason: String, count: Int)] = []
        while try select.step() { counts.append((select.text(0), Int(select.integer(1)))) }
        return counts
    }
}

/// What a push to a registration leaves in the file besides the message.
final class ReceiverRows {
    private let deleteAnswers: StoreStatement
    private let count: StoreStatement

    init(on connection: borrowing Connection) throws(StoreFault) {
        deleteAnswers = try StoreStatement(
            """
            DELETE FROM kept_answer WHERE row IN
            (SELECT row FROM kept_answer ORDER BY row LIMIT ?2) AND expires <= ?1 RETURNING 1
            """, on: connection)
        count = try StoreStatement(
            """
            INSERT INTO undecryptable SELECT ?1, ?2, 1
            WHERE EXISTS (SELECT 1 FROM registration WHERE device = ?1)
            ON CONFLICT DO UPDATE SET count = count + 1 RETURNING 1
            """, on: connection)
    }

    /// False if the registration has ended.
    func count(_ reason: String, device: UInt32) throws(StoreFault) -> Bool {
        try count.bind(Int64(device), at: 1)
        try count.bind(text: reason, at: 2)
        defer { count.reset() }
        return try count.step()
    }

    /// Deletes expired answers; returns how many.
    func deleteExpired(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try deleteAnswers.bind(now.milliseconds, at: 1)
        try deleteAnswers.bind(Int64(limit), at: 2)
        var count = 0
        while try deleteAnswers.step() { count += 1 }
        return count
    }

    static func nextExpiry(
        on connection: borrowing Connection
    ) throws(StoreFault) -> StoreTime? {
        let select = try StoreStatement(
            "SELECT expires FROM kept_answer ORDER BY row LIMIT 1", on: connection)
        return try select.step() ? StoreTime(milliseconds: select.integer(0)) : nil
    }
}
