import Reactor
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
    private var watch: Watch?
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
        thread.letGo()
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
    func ready(_ readiness: Readiness, of watch: Watch) {
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
