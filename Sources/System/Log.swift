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
