package import Base
import Glibc

package enum StandardOutput {
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    package static func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try writeAll(STDOUT_FILENO, bytes)
    }

    package static func write(_ text: String) throws(SystemError) {
        try writeAll(STDOUT_FILENO, Array(text.utf8).span)
    }
}

package enum StandardError {
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// A failure is ignored: there is nowhere left to report it.
    package static func write(_ text: String) {
        try? writeAll(STDERR_FILENO, Array(text.utf8).span)
    }
}

package enum StandardInput {
    /// Everything up to the end; nil if it is more than `limit`.
    package static func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let chunk = try readChunk(STDIN_FILENO)
            if chunk.isEmpty { return bytes }
            bytes += chunk
            if bytes.count > limit { return nil }
        }
    }
}

extension StandardInput {
    /// Waits until there is input or the stream ends; false if the time is over first.
    package static func isReady(within seconds: Double?) throws(SystemError) -> Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let milliseconds =
            seconds.map { Int32(min(($0 * 1000).rounded(.up), Double(Int32.max))) } ?? -1
        return try ensure("poll") { poll(&descriptor, 1, max(milliseconds, -1)) } > 0
    }
}

/// Reads standard input, or another stream, line by line.
package struct LineReader: ~Copyable {
    package typealias Line = LineSplitter.Line

    /// The caller keeps it open.
    private let number: Int32
    private var lines: LineSplitter
    private var isAtEnd = false

    package init(limit: Int) { self.init(limit: limit, from: STDIN_FILENO) }

    init(limit: Int, from number: Int32) {
        self.number = number
        lines = LineSplitter(limit: limit)
    }

    /// Nil at the end. A last line without a line feed counts.
    package mutating func next() throws(SystemError) -> Line? {
        while true {
            if let line = lines.next() { return line }
            if isAtEnd { return lines.takeRest() }
            try readMore()
        }
    }

    /// Whether `next` can return without reading.
    package var hasNext: Bool { isAtEnd || lines.hasNext }

    /// Reads once; true if `next` can then return without reading.
    package mutating func fill() throws(SystemError) -> Bool {
        try readMore()
        return hasNext
    }

    private mutating func readMore() throws(SystemError) {
        let chunk = try readChunk(number)
        isAtEnd = chunk.isEmpty
        lines.append(chunk.span)
    }
}

/// The terminal on standard input and output, for a program that draws its whole screen.
///
/// Keys come one by one and are not shown, and none of them raises a signal. After `enter` the
/// program has to call `leave`, however it goes on.
package struct RawTerminal: Sendable {
    private let former: termios

    /// Both streams are the terminal, and it understands escape sequences.
    package static var isCapable: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !isDumb
    }

    /// Whether the terminal shows text and nothing else.
    package static var isDumb: Bool { Environment["TERM"] ?? "" == "dumb" }

    /// https://no-color.org: any value but an empty one.
    package static var wantsColour: Bool { (Environment["NO_COLOR"] ?? "").isEmpty && !isDumb }

    package init() throws(SystemError) {
        var settings = termios()
        _ = try ensure("tcgetattr") { tcgetattr(STDIN_FILENO, &settings) }
        former = settings
    }

    /// `screen` is sent at once, since a signal may come between the two.
    package func enter(_ screen: String) throws(SystemError) {
        var settings = former
        cfmakeraw(&settings)
        _ = try ensure("tcsetattr") { tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) }
        try StandardOutput.write(screen)
    }

    package func leave(_ screen: String) {
        // A terminal that is gone needs nothing.
        try? StandardOutput.write(screen)
        var settings = former
        // What was typed ahead is not for the shell.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// That of the oldest terminals if this one does not know its own.
    package static var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
        else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// What was typed, at least one byte; empty if the terminal is gone.
    package static func read() throws(SystemError) -> [UInt8] { try readChunk(STDIN_FILENO) }

    package static let input = STDIN_FILENO
}

/// Signals that concern a program that draws its whole screen.
package struct TerminalSignals: Sendable {
    package enum Signal: Sendable {
        case resize
        case pause
        case goOn
        /// SIGTERM and others that end a program.
        case end(Int32)
    }

    private static let kinds: [Int32: Signal] = [
        SIGWINCH: .resize, SIGTSTP: .pause, SIGCONT: .goOn, SIGTERM: .end(SIGTERM),
        SIGINT: .end(SIGINT), SIGHUP: .end(SIGHUP), SIGQUIT: .end(SIGQUIT),
    ]

    /// Call it before any thread starts: threads inherit the mask.
    package init() {
        var signals = Self.set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next one.
    package func next() -> Signal {
        var signals = Self.set
        var number: Int32 = 0
        while true {
            if sigwait(&signals, &number) == 0, let kind = Self.kinds[number] { return kind }
        }
    }

    /// Stops this process until it is told to go on.
    package static func stop() { kill(getpid(), SIGSTOP) }

    /// Ends this process as if it had not waited for the signal.
    package static func end(by number: Int32) {
        signal(number, SIG_DFL)
        var signals = Self.set
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in kinds.keys { sigaddset(&signals, signal) }
        return signals
    }
}
