import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite("A database file")
struct ConnectionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("test.db")
    }

    private func made() throws -> Connection {
        let connection = try Connection(path, .readWrite)
        try connection.execute("CREATE TABLE item (row INTEGER PRIMARY KEY, bytes BLOB)")
        return connection
    }

    private func insert(_ count: Int, into connection: borrowing Connection) throws {
        let insert = try Statement("INSERT INTO item (bytes) VALUES (?)", on: connection)
        let bytes = [UInt8](repeating: 7, count: 1_000)
        for _ in 0..<count {
            try insert.bind(bytes.span, at: 1)
            try insert.run()
        }
    }

    @Test("It waits for the disk, overwrites deleted data and does not trust its own schema")
    func configuration() throws {
        let connection = try made()
        #expect(try connection.integer("PRAGMA synchronous") == 2)
        #expect(try connection.integer("PRAGMA secure_delete") == 1)
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
        #expect(throws: SQLiteError.self) {
            try connection.execute("PRAGMA writable_schema = 1; DELETE FROM sqlite_schema")
        }
        let mode = try Statement("PRAGMA journal_mode", on: connection)
        #expect(try mode.step())
        #expect(mode.text(0) == "wal")
    }

    @Test("A file whose first transaction was interrupted is made again")
    func interrupted() throws {
        try InterruptedDatabase.make(at: path)
        #expect(throws: SQLiteError("sqlite3_step", code: 776)) {
            try Connection(path, .readOnly).integer("PRAGMA user_version")
        }
        try Connection.takeBackInterrupted(path)
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
        #expect(try made().integer("SELECT count(*) FROM item") == 0)
    }

    @Test("A file that nothing has interrupted stays as it is, and so does no database")
    func uninterrupted() throws {
        let url = URL(filePath: path)
        do {
            let connection = try made()
            try insert(10, into: connection)
        }
        for data in [try Data(contentsOf: url), Data("a letter".utf8), Data()] {
            try data.write(to: url)
            try Connection.takeBackInterrupted(path)
            #expect(try Data(contentsOf: url) == data)
        }
    }

    @Test("Numbers, texts, bytes, empty bytes and NULL are read as they were written")
    func values() throws {
        let connection = try made()
        try connection.execute("CREATE TABLE value (a, b, c, d, e)")
        let insert = try Statement("INSERT INTO value VALUES (?, ?, ?, ?, ?)", on: connection)
        let bytes: [UInt8] = [0, 1, 255]
        let none: [UInt8] = []
        try insert.bind(Int64.min, at: 1)
        try insert.bind(text: "Ünïcode\0x", at: 2)
        try insert.bind(bytes.span, at: 3)
        try insert.bind(none.span, at: 4)
        try insert.bindNull(at: 5)
        try insert.run()
        let select = try Statement("SELECT * FROM value", on: connection)
        #expect(try select.step())
        #expect(select.integer(0) == .min)
        #expect(select.text(1) == "Ünïcode\0x")
        #expect(select.bytes(2) == bytes)
        #expect(select.bytes(3).isEmpty && !select.isNull(3))
        #expect(select.isNull(4) && select.bytes(4).isEmpty)
        #expect(try !select.step())
    }

    @Test("A transaction that fails leaves nothing behind, and the next one works")
    func rollback() throws {
        let connection = try made()
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute("INSERT INTO item (row) VALUES (1)")
                try connection.execute("INSERT INTO item (row) VALUES (1)")
            }
        }
        // SQLITE_CONSTRAINT_PRIMARYKEY
        #expect(error?.code == 1_555)
        #expect(error?.description == "sqlite3_exec: constraint failed (1555)")
        #expect(try connection.integer("SELECT count(*) FROM item") == 0)
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute("INSERT INTO item (row) VALUES (1)")
        }
        #expect(try connection.integer("SELECT count(*) FROM item") == 1)
    }

    @Test("A commit never copies the WAL; a checkpoint does, and the rest of the WAL is counted")
    func checkpoint() throws {
        let connection = try made()
        try insert(5_000, into: connection)
        #expect(connection.walPages > 5_000)
        #expect(try connection.checkpoint(.passive))
        #expect(connection.walPages == 0)
        try insert(1, into: connection)
        #expect((1...4).contains(connection.walPages))
        #expect(try connection.checkpoint(.truncating))
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
        #expect(size as? Int == 0)
    }

    @Test("A reader sees one snapshot, and prevents emptying the WAL but not writing to it")
    func reader() throws {
        let connection = try made()
        try insert(1, into: connection)
        let reader = try Connection(path, .readOnly)
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT count(*) FROM item") == 1)
        try insert(1, into: connection)
        #expect(try reader.integer("SELECT count(*) FROM item") == 1)
        #expect(try !connection.checkpoint(.passive))
        try reader.execute("COMMIT")
        #expect(try reader.integer("SELECT count(*) FROM item") == 2)
        #expect(try connection.checkpoint(.passive))
        #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM item") }
    }

    @Test("A full file gives its own error, and works again when there is room")
    func full() throws {
        let connection = try made()
        try connection.limitPages(10)
        let error = #expect(throws: SQLiteError.self) { try insert(100, into: connection) }
        #expect(error?.isFull == true)
        try connection.limitPages(nil)
        try insert(100, into: connection)
    }

    @Test("A damaged file is detected; a file that is not a database is not opened")
    func damage() throws {
        do {
            let connection = try made()
            try insert(2_000, into: connection)
            #expect(try connection.damage() == nil)
            _ = try connection.checkpoint(.truncating)
        }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 4_096 * 20)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()
        #expect(try Connection(path, .readWrite).damage() != nil)
        let other = folder.file("other.db")
        try Data("this is a letter, and no database; it goes on a little".utf8)
            .write(to: URL(filePath: other))
        let error = #expect(throws: SQLiteError.self) { _ = try Connection(other, .readWrite) }
        #expect(error?.isDamage == true)
    }

    @Test("A link is not followed")
    func link() throws {
        _ = try made()
        let link = folder.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: SQLiteError.self) { _ = try Connection(link, .readWrite) }
    }
}
