import Base
import System
import Terminal

/// What a terminal view does with keys, and what it shows.
protocol TerminalProgram: AnyObject {
    func typed(_ key: Key)
    func screen(_ size: ScreenSize) -> Screen
}

/// Connects a view to the terminal: raw mode, signals, keys in, screens out.
///
/// The terminal is as before when `run` returns, and while the program is stopped.
// Unchecked: everything but the thread that waits for signals, which only posts to the loop, runs on
// the thread of the loop.
final class TerminalShell: @unchecked Sendable {
    enum Ending {
        case quit
        /// By a signal, which the process should die of.
        case signal(Int32)
        case failure(any Error)
    }

    /// After an escape without more, it was the key of that name.
    private static let escapePause = Interval(.milliseconds(50))

    let loop: EventLoop
    private let signals: TerminalSignals
    private let terminal: RawTerminal
    private var painter = ScreenPainter(hasColour: RawTerminal.wantsColour)
    private var decoder = KeyDecoder()
    private var escapeTimer: TimerID?
    private var watch: WatchID?
    private var isEntered = false
    private var isDirty = false
    private var ending = Ending.quit
    private weak var program: (any TerminalProgram)?

    /// Make it before any thread.
    init() throws {
        signals = TerminalSignals()
        terminal = try RawTerminal()
        loop = try EventLoop()
    }

    /// Returns when the view ends; a failure is thrown.
    func run(_ program: any TerminalProgram) throws {
        self.program = program
        let thread = try WorkThread(name: "signals") { [loop, signals] in
            while true {
                let signal = signals.next()
                guard loop.post({ self.received(signal) }) else { return }
            }
        }
        // It waits for a signal, which may never come.
        thread.detach()
        defer { leave() }
        try enter()
        watch = try loop.watch(RawTerminal.input, for: .readable, self)
        redraw()
        _ = loop.run()
        leave()
        switch ending {
        case .quit: return
        case .signal(let number): TerminalSignals.end(by: number)
        case .failure(let error): throw error
        }
    }

    func end(_ ending: Ending = .quit) {
        self.ending = ending
        loop.stop()
    }

    /// Draws once, at the end of this turn, however often it is called.
    func redraw() {
        guard !isDirty else { return }
        isDirty = true
        loop.post { self.draw() }
    }

    /// Draws everything, whatever the terminal shows.
    func redrawAll() {
        painter.forget()
        redraw()
    }

    /// Gives the terminal back until the process is continued.
    func pause() {
        leave()
        TerminalSignals.stop()
        goOn()
    }

    private func draw() {
        isDirty = false
        guard isEntered, let program else { return }
        let size = RawTerminal.size
        let screen = program.screen(ScreenSize(rows: size.rows, columns: size.columns))
        do throws(SystemError) {
            try StandardOutput.write(painter.paint(screen))
        } catch { end(.failure(error)) }
    }

    private func enter() throws {
        let sequence = isEntered ? ScreenPainter.again : ScreenPainter.enter
        isEntered = true
        try terminal.enter(sequence)
    }

    private func leave() {
        guard isEntered else { return }
        isEntered = false
        terminal.leave(ScreenPainter.leave)
    }

    /// Something else may have used the terminal meanwhile.
    private func goOn() {
        do {
            try enter()
        } catch { return end(.failure(error)) }
        redrawAll()
    }

    private func received(_ signal: TerminalSignals.Signal) {
        switch signal {
        case .resize: redrawAll()
        case .pause: pause()
        case .goOn: goOn()
        case .end(let number): end(.signal(number))
        }
    }
}

extension TerminalShell: EventHandler, TimerHandler {
    func ready(_ readiness: Readiness, of watch: WatchID) {
        // A terminal that cannot be read is gone.
        guard let bytes = try? RawTerminal.read(), !bytes.isEmpty else {
            loop.unwatch(watch)
            return end()
        }
        if let escapeTimer { loop.cancel(escapeTimer) }
        escapeTimer = nil
        take(decoder.decode(bytes))
        if decoder.isUndecided { escapeTimer = loop.schedule(after: Self.escapePause, self) }
    }

    func timerFired(_ cookie: UInt64) {
        escapeTimer = nil
        take(decoder.flush())
    }

    func drain() { if let watch { loop.unwatch(watch) } }

    private func take(_ keys: [Key]) {
        for key in keys { program?.typed(key) }
        if !keys.isEmpty { redraw() }
    }
}

/// What the views know of their surroundings.
struct ViewContext: Sendable {
    let language: Language
    /// A time in seconds as `2026-11-25 20:15`, in the zone of the user.
    let localTime: @Sendable (Int) -> String

    func say(_ sentence: TerminalSentence) -> String { language.say(sentence) }

    /// The time alone if it is of the same day, otherwise the date; as `20:15` or `11-24`.
    func shortTime(_ seconds: Int, now: Int) -> String {
        let (text, today) = (localTime(seconds), localTime(now))
        let isToday = text.prefix(10) == today.prefix(10)
        return String(isToday ? text.suffix(5) : text.dropFirst(5).prefix(5))
    }
}

extension Screen {
    /// The first row: what this is, and on the right how it stands.
    mutating func drawTitle(_ left: String, right: String, _ style: Style = .reversed) {
        let start = write(right, row: 0, endOf: columns(1, to: size.columns - 1))
        write(left, row: 0, columns: columns(1, to: start - 1))
        paint(row: 0, style)
    }

    /// A page of keys and what they do.
    mutating func drawHelp(_ keys: [(key: String, meaning: String)], hint: String) {
        for (number, key) in keys.enumerated() where number + 3 < size.rows {
            write(key.key, row: number + 2, columns: columns(2, to: 18), .bold)
            write(key.meaning, row: number + 2, columns: columns(18))
        }
        write(hint, row: size.rows - 1, columns: columns(1), .dim)
    }
}

extension Command.Option {
    static let plain = Self("plain", help: "print plain text, even on a terminal")
}

extension Arguments {
    /// Whether to draw on the terminal: nothing else was asked for, and it can.
    var wantsView: Bool { !has("json") && !has("plain") && RawTerminal.isCapable }
}

extension ViewContext {
    /// The language and the time zone of this process.
    static var own: ViewContext {
        ViewContext(
            language: Locale.language,
            localTime: { LocalTime.text($0) })
    }
}
