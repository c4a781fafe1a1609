import Base
import EngineHost
import Mailbox
import Notifications
import System

/// Serves one client of an engine on standard input and output, one JSON object per line.
///
/// Results are on the disk before the client sees them.
struct EngineStreams: ~Copyable {
    private var hosted: HostedEngine
    private var database: EngineDatabase
    private var output: [UInt8] = []

    /// The most requests that are written to the disk together.
    private static let batchLimit = 256

    init(folder: String) throws {
        let templates = LanguageTable.templates()
        var database = try EngineDatabase(folder)
        hosted = HostedEngine(
            try database.load(templates), cryptography: .openSSL, templates: templates,
            now: WallClock.now)
        self.database = database
        hosted.engine.sendOwed()
    }

    /// Returns when the client closes the engine or its input.
    mutating func run() throws {
        var lines = LineReader(limit: 16 << 20)
        try commit()
        while hosted.engine.isRunning {
            let wait = hosted.engine.nextDeadline.map { max($0 - WallClock.now, 0) }
            guard try lines.hasNext || StandardInput.isReady(within: wait) else {
                hosted.advance(to: WallClock.now)
                try commit()
                continue
            }
            guard try lines.hasNext || lines.fill() else { continue }
            try serve(&lines)
        }
    }

    /// Handles all lines that have arrived.
    private mutating func serve(_ lines: inout LineReader) throws {
        var count = 0
        while hosted.engine.isRunning, lines.hasNext, count < Self.batchLimit {
            guard let line = try lines.next() else {
                hosted.engine.close(now: WallClock.now)
                break
            }
            count += 1
            switch line {
            case .bytes(let bytes):
                if bytes.isEmpty || bytes == [UInt8(ascii: "\r")] { continue }
                let answer = hosted.answer(bytes, now: WallClock.now)
                sayUpdates()
                say(answer)
            case .tooLong:
                say(Outcome.error(code: 400, message: "Request is too long").answer())
            }
        }
        try commit()
    }

    private mutating func sayUpdates() {
        for update in hosted.engine.takeUpdates() {
            var writer = JSONWriter()
            update.write(to: &writer)
            say(writer.bytes)
        }
    }

    private mutating func say(_ object: [UInt8]) {
        output += object
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func commit() throws {
        sayUpdates()
        let unsaved = hosted.takeUnsaved()
        if !unsaved.isEmpty { try database.append(unsaved) }
        if !hosted.engine.isRunning || database.isJournalLong {
            try database.save(hosted.engine.account)
        }
        try StandardOutput.write(output.span)
        output.removeAll(keepingCapacity: true)
        try confirmHeard()
    }

    /// Records that the client received all updates.
    private mutating func confirmHeard() throws {
        let last = hosted.engine.account.owed.lastID
        guard hosted.engine.isRunning, hosted.engine.account.owed.hasNotices(through: last) else {
            return
        }
        hosted.noticesHeard(through: last, now: WallClock.now)
        try database.append(hosted.takeUnsaved())
    }
}
