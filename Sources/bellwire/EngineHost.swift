import Base
import Dialects
import System

/// Serves one client of an engine on the standard streams.
///
/// What was done is on the disk before the client hears of it.
struct EngineHost: ~Copyable {
    private var session: EngineSession
    private var database: EngineDatabase

    /// How much is done before it is written together.
    private static let batchLimit = 256

    init(folder: String) throws {
        let now = WallClock.now
        let templates = LanguageTable.templates()
        var database = try EngineDatabase(folder)
        let account = try database.load(templates)
        session = EngineSession(
            account, cryptography: .openSSL, templates: templates, now: now)
        self.database = database
    }

    /// Until the client closes the engine or says nothing more.
    mutating func run() throws {
        var lines = LineReader(limit: 16 << 20)
        try commit()
        while session.engine.isRunning {
            let wait = session.engine.nextDeadline.map { max($0 - WallClock.now, 0) }
            guard try lines.hasNext || StandardInput.isReady(within: wait) else {
                session.advance(to: WallClock.now)
                try commit()
                continue
            }
            guard try lines.hasNext || lines.fill() else { continue }
            try serve(&lines)
        }
    }

    /// Everything that has arrived, in one go.
    private mutating func serve(_ lines: inout LineReader) throws {
        var count = 0
        while session.engine.isRunning, lines.hasNext, count < Self.batchLimit {
            guard let line = try lines.next() else {
                session.close(now: WallClock.now)
                break
            }
            count += 1
            switch line {
            case .bytes(let bytes):
                if bytes.isEmpty || bytes == [UInt8(ascii: "\r")] { continue }
                session.answer(bytes, now: WallClock.now)
            case .tooLong: session.refuse("Request is too long")
            }
        }
        try commit()
    }

    private mutating func commit() throws {
        let unsaved = session.takeUnsaved()
        if !unsaved.isEmpty { try database.append(unsaved) }
        if !session.engine.isRunning || database.isJournalLong {
            try database.save(session.engine.account)
        }
        try StandardOutput.write(session.takeOutput().span)
    }
}
