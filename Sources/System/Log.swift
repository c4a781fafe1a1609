import Base
import Glibc

/// Writes the server's log to standard error, one line per event. If that is the journal, each value
/// becomes a field of its own there. Any thread may use it.
///
/// Names of events and fields are literals in the source; values are made printable. The caller
/// makes sure that a value is no secret.
package final class Log: Sendable {
    /// The priorities of syslog(3).
    package enum Level: Int, Sendable {
        case error = 3
        case warning = 4
        case info = 6

        var word: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            }
        }
    }

    private let isJournal: Bool
    /// The socket of the journal.
    private let journal: String
    private let output: @Sendable (String) -> Void
    private let clock: @Sendable () -> Int64
    private let throttle = Lock(LogThrottle())

    /// Writes to standard error, or to the journal if that is where standard error leads.
    package convenience init() {
        self.init(
            isJournal: Self.isJournal(getenv("JOURNAL_STREAM").map { String(cString: $0) }),
            journal: JournalEntry.socket, clock: { Boot.milliseconds },
            output: StandardError.write)
    }

    init(
        isJournal: Bool, journal: String, clock: @escaping @Sendable () -> Int64,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.isJournal = isJournal
        self.journal = journal
        self.clock = clock
        self.output = output
    }

    package func write(
        _ level: Level, _ event: StaticString, _ fields: [(StaticString, String)] = []
    ) {
        let now = clock()
        guard let leftOut = throttle.withLock({ $0.admit("\(event)", at: now) }) else { return }
        let count: [(StaticString, String)] = leftOut > 0 ? [("left-out", "\(leftOut)")] : []
        write(LogLine(level: level, event: event, fields: fields + count))
    }

    /// Writes at most one line a minute about the same peer.
    package func write(
        _ level: Level, _ event: StaticString, about peer: String,
        _ fields: [(StaticString, String)]
    ) {
        let now = clock()
        let isNew = throttle.withLock { $0.isNew(peer, in: "\(event)", at: now) }
        if isNew { write(level, event, fields) }
    }

    /// Bypasses the throttle, for lines that somebody switched on in order to see them all.
    package func writeAlways(
        _ level: Level, _ event: StaticString, _ fields: [(StaticString, String)]
    ) {
        write(LogLine(level: level, event: event, fields: fields))
    }

    private func write(_ line: LogLine) {
        guard isJournal else { return output(line.plainText) }
        // The socket may be missing or full. Standard error leads to the journal, too.
        let isTaken = DatagramSocket.send(JournalEntry(line).bytes, to: journal, waits: false)
        if !isTaken { output(line.journalText) }
    }

    /// JOURNAL_STREAM names the stream that the journal reads. A program whose output is redirected
    /// inherits the variable but writes elsewhere (systemd.exec(5)).
    static func isJournal(_ variable: String?, descriptor: Int32 = STDERR_FILENO) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }
}

/// One line of a log: a level, what happened, and values by name.
struct LogLine {
    let level: Log.Level
    let event: StaticString
    let fields: [(StaticString, String)]

    /// The line for journald, which reads the priority at the start of a line (sd-daemon(3)).
    var journalText: String { "<\(level.rawValue)>\(message)\n" }

    /// The line for a terminal or a file.
    var plainText: String { "bellwire: \(level.word): \(message)\n" }

    /// Event and values, without the level.
    var message: String {
        var text = "event=\(event)"
        for (name, value) in fields { text += " \(name)=" + Self.quoted(value) }
        return text
    }

    /// A value as it may be shown: printable, and not too long.
    static func shown(_ value: String) -> String { Printable.text(value, limit: valueLimit) }

    /// Quotes a value that is not a single word. It works on bytes, as readers of the log do: a
    /// combining character would hide a quotation mark.
    private static func quoted(_ value: String) -> String {
        let text = shown(value)
        guard text.isEmpty || text.utf8.contains(where: { " \"=\\".utf8.contains($0) }) else {
            return text
        }
        var result = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                result.append(UInt8(ascii: "\\"))
            }
            result.append(byte)
        }
        result.append(UInt8(ascii: "\""))
        return String(decoding: result, as: UTF8.self)
    }

    private static let valueLimit = 500
}

/// Keeps one kind of event from filling the log. It is a pure value: the time is passed in.
struct LogThrottle {
    /// Further lines of a kind in the same window are counted, not written.
    static let linesPerWindow = 10
    static let window: Int64 = 60_000

    private struct Kind {
        var windowStart: Int64
        var count = 0
    }

    private var kinds: [String: Kind] = [:]
    /// When each peer was last mentioned, by kind of event. Their number is limited, and only the
    /// last window counts.
    private static let peersKept = 1_024
    private var peers: [String: Int64] = [:]

    /// Whether no line of this kind mentioned `peer` in the last window. Beyond the bound every
    /// peer counts as new; `admit` still limits their lines.
    mutating func isNew(_ peer: String, in event: String, at now: Int64) -> Bool {
        let key = "\(event) \(peer)"
        if let last = peers[key], now - last < Self.window { return false }
        if peers.count >= Self.peersKept { peers = peers.filter { now - $0.value < Self.window } }
        if peers.count < Self.peersKept { peers[key] = now }
        return true
    }

    /// How many lines of this kind were left out before this one; nil if this one is left out too.
    mutating func admit(_ event: String, at now: Int64) -> Int? {
        var kind = kinds[event] ?? Kind(windowStart: now)
        var leftOut = 0
        if now - kind.windowStart >= Self.window {
            leftOut = max(0, kind.count - Self.linesPerWindow)
            kind = Kind(windowStart: now)
        }
        kind.count += 1
        kinds[event] = kind
        return kind.count <= Self.linesPerWindow ? leftOut : nil
    }
}

/// A line of the log in journald's native protocol: a datagram with a field on each line
/// (systemd.io/JOURNAL_NATIVE_PROTOCOL).
struct JournalEntry {
    /// Where journald takes such datagrams.
    static let socket = "/run/systemd/journal/socket"

    private(set) var bytes: [UInt8] = []

    init(_ line: LogLine) {
        add("MESSAGE", line.message)
        add("PRIORITY", "\(line.level.rawValue)")
        add("SYSLOG_IDENTIFIER", "bellwire")
        add("BELLWIRE_EVENT", "\(line.event)")
        for (name, value) in line.fields { add(Self.name(of: name), LogLine.shown(value)) }
    }

    /// A printable value has no line break, so it cannot begin a field of its own.
    private mutating func add(_ name: String, _ value: String) {
        bytes += name.utf8
        bytes.append(UInt8(ascii: "="))
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The names of fields have capital letters, digits and underscores. The prefix keeps our
    /// fields apart from the fields that journald and others know.
    private static func name(of field: StaticString) -> String {
        let letters = "\(field)".utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & 0xDF
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return "BELLWIRE_" + String(decoding: letters, as: UTF8.self)
    }
}
