import Base
import Mailbox
import Notifications
import System

extension Command {
    static let engine = Command(
        name: "engine",
        summary: "run the notification engine on standard input and output",
        forms: ["--database DIR", "--replay"],
        details: """
            With --database it speaks TDLib's JSON: it reads one request per line and writes
            updates and answers. DIR is created if it is missing; its contents are sealed under the
            key in master.json. Messages are in the language of LC_MESSAGES if share/bellwire/lang
            has a table for it.

            --replay reads one recorded story per line and prints one line for each, in the same
            order:

              {"name", "steps": [{"result", "updates"}]}

            or {"error": {"code", "message"}} for a line that is not a story.
            """,
        options: [
            Option("database", "DIR", help: "the folder that stores the account"),
            Option("replay", help: "replay recorded stories instead of serving a client"),
        ],
        examples: [
            Example(
                "bellwire engine --database ~/.local/state/bellwire-engine",
                help: "serve one client, and keep its notifications in this folder"),
            Example(
                "bellwire engine --replay < Tests/Vectors/tdlib-engine-scenarios.jsonl",
                help: "replay recorded stories; run it in a checkout of the sources"),
        ]
    ) { arguments in
        switch (arguments["database"], arguments.has("replay")) {
        case (let folder?, false):
            var streams = try EngineStreams(folder: folder)
            try streams.run()
        case (nil, true): try replay()
        default:
            throw CommandError.usage(
                "give either --database or --replay", hint: "see bellwire engine --help")
        }
        return .success
    }

    private static func answer(to line: LineReader.Line) -> String {
        guard case .bytes(let bytes) = line else { return refusal("The story is too long") }
        guard let document = try? JSONDocument(bytes), document.root.kind == .object else {
            return refusal("The line is not a story")
        }
        var replay = Replay(document.root)
        return replay.play()
    }

    private static func replay() throws {
        var lines = LineReader(limit: 64 << 20)
        while let line = try lines.next() {
            try StandardOutput.write(answer(to: line))
        }
    }
}

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
