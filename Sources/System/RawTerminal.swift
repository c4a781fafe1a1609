import Glibc

/// The terminal on standard input and output, for a program that draws its whole screen.
///
/// Keys come one by one and are not shown, and none of them raises a signal. Whoever calls `enter`
/// also calls `leave`, however the program goes on.
package struct RawTerminal: Sendable {
    private let former: termios

    /// Both streams are the terminal, and it understands escape sequences.
    package static var isCapable: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !isDumb
    }

    /// It shows text and nothing else.
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
