import Crypto
import Delivery
import SQLite

/// What the thread of files reads in the database.
final class FileRows {
    enum Finding {
        case none
        case unreadable
        case file(Found)
    }

    struct Found {
        let file: KeptFile
        let record: FileRecord
        let owner: TopicOwner
    }

    /// That of the keys with which it opens rows.
    let generation: Int
    private let connection: Connection
    private let sealers = TopicSealers()
    private var sealer: Sealer
    private var hash: SHA256
    private var random = RandomSupply()

    init(_ path: String, _ keys: StoreKeys) throws(StoreFault) {
        generation = keys.generation
        do throws(OpenSSLError) {
            sealer = try keys.sealer()
            hash = try SHA256()
        } catch { throw .crypto(error) }
        do throws(SQLiteError) { connection = try Connection(path, .readOnly) } catch {
            throw StoreFault(error)
        }
    }

    func newID() throws(OpenSSLError) -> FileID { try FileID(from: &random) }
    func mark(of id: FileID) throws(OpenSSLError) -> FileMark { try FileMark(of: id, &hash) }

    func owner(ofTopic device: UInt32) throws(StoreFault) -> TopicOwner.Found {
        let owner = try connection.rows(
            "SELECT owner FROM topic WHERE device = ?1 AND ended = 0", device)
        guard let row = owner.first else { return .none }
        return try TopicOwner.find(row, on: connection, &sealer)
    }

    func find(_ mark: FileMark, at now: StoreTime) throws(StoreFault) -> Finding {
        let select = try connection.statement(
            """
            SELECT \(KeptFile.list), row, sealed FROM topic_file
            WHERE mark = ?1 AND expires > ?2
            """, mark.bytes, now.milliseconds)
        guard try select.step(), let file = KeptFile(select) else { return .none }
        let (row, sealed) = (select.integer(4), select.bytes(5))
        switch try TopicOwner.find(file.owner, on: connection, &sealer) {
        case .none: return .none
        case .unreadable: return .unreadable
        case .owner(let owner):
            let record: FileRecord? = try sealers.open(
                sealed.span, at: FileRecord.place(row), of: owner)
            guard let record, record.isOf(file) else { return .unreadable }
            return .file(Found(file: file, record: record, owner: owner))
        }
    }

    func has(_ mark: FileMark) throws(StoreFault) -> Bool {
        try connection.number("SELECT count(*) FROM topic_file WHERE mark = ?1", mark.bytes) > 0
    }

    /// Those of all files that messages have. The newest is the last.
    func marks() throws(StoreFault) -> [FileMark] {
        let select = try connection.statement("SELECT mark FROM topic_file ORDER BY row")
        var marks: [FileMark] = []
        while try select.step() {
            if let mark = select.withBytes(0, { FileMark($0) }) { marks.append(mark) }
        }
        return marks
    }
}

extension TopicFiles {
    /// Counts what is in the database at the start.
    func load(from connection: borrowing Connection) throws(StoreFault) {
        let select = try connection.select(KeptFile.columns, from: "topic_file")
        while try select.step() {
            if let file = KeptFile(select) { count(file) }
        }
    }
}
