import Base
import Glibc
import Reactor
import System
import Terminal

/// Runs the view of `bellwire top`: asks the server again and again.
// Unchecked: it is used on the thread of the shell's loop only.
final class TopSession: TerminalProgram, @unchecked Sendable {
    private let shell: TerminalShell
    private var view: TopView

    init(_ view: TopView, _ shell: TerminalShell) {
        self.view = view
        self.shell = shell
    }

    /// Returns when the user quits. `ask` may take its time: it runs on a thread of its own.
    func run(every seconds: Double, _ ask: @escaping @Sendable () throws -> OverviewReport) throws {
        let loop = shell.loop
        let thread = try WorkThread(name: "overview") {
            repeat {
                usleep(UInt32(seconds * 1_000_000))
                let result = Result { try ask() }
                guard loop.post({ self.take(result) }) else { return }
            } while true
        }
        // It may be waiting for the server.
        thread.letGo()
        try shell.run(self)
    }

    func typed(_ key: Key) {
        for action in view.typed(key) {
            switch action {
            case .quit: shell.end()
            case .pause: shell.pause()
            case .redraw: shell.redrawAll()
            }
        }
    }

    func screen(_ size: ScreenSize) -> Screen { view.screen(size, now: Int(WallClock.now)) }

    private func take(_ result: Result<OverviewReport, any Error>) {
        switch result {
        case .success(let report): view.received(report, at: Self.seconds)
        case .failure(let error):
            let refusal = CommandError(error)
            view.missed(refusal.exitCode == .refused ? refusal.message : nil)
        }
        shell.redraw()
    }

    /// Of a clock that nobody sets.
    static var seconds: Double { Double(Instant.now.nanoseconds) / 1e9 }
}
