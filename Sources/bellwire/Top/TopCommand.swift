import Base
import Glibc
import System
import Terminal
import WebPush

extension Command {
    private static let overviewPath = "/api/v1/overview"
    private static let pauses = 0.1...3_600.0

    static let top = Command(
        name: "top",
        summary: "show the state of the running server",
        details: """
            On a terminal, top shows pushes a second, what waits, registrations, devices, errors and
            events, and asks the server again every second; press ? to see the keys. Elsewhere, and
            with --plain, it prints all this once. --json prints the server's answer. Without
            administrator's rights it shows what is yours.
            """,
        options: [
            Option("every", "SECONDS", help: "how often to ask the server (default: 1)"),
            .plain,
        ] + serverOptions,
        examples: [
            Example("bellwire top", help: "watch the server of this machine"),
            Example("bellwire top --plain", help: "print its state once"),
        ]
    ) { arguments in
        let pause = try seconds(arguments["every"])
        let control = try ControlConnection(arguments)
        let answer = try control.send("GET", overviewPath)
        guard arguments.wantsView else {
            return try arguments.print(answer) { root in
                OverviewText(report: Overview(shown: root), context: .own)
                    .plain(now: Int(WallClock.now))
            }
        }
        let view = TopView(try report(answer), .own, at: TopSession.seconds)
        let session = try TopSession(view, TerminalShell())
        // Its shell does not keep it.
        try withExtendedLifetime(session) {
            try session.run(every: pause) {
                try Self.report(try control.send("GET", overviewPath))
            }
        }
        return .success
    }

    private static func report(_ answer: [UInt8]) throws -> Overview {
        Overview(shown: try JSONNode(answer: answer))
    }

    private static func seconds(_ text: String?) throws -> Double {
        guard let text else { return 1 }
        guard let seconds = Double(text), pauses.contains(seconds) else {
            throw CommandError.usage(
                "--every takes seconds, not \(text)", hint: "give a number from 0.1 to 3600")
        }
        return seconds
    }
}

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
    func run(every seconds: Double, _ ask: @escaping @Sendable () throws -> Overview) throws {
        let loop = shell.loop
        let thread = try WorkThread(name: "overview") {
            repeat {
                usleep(UInt32(seconds * 1_000_000))
                let result = Result { try ask() }
                guard loop.post({ self.take(result) }) else { return }
            } while true
        }
        // It may be waiting for the server.
        thread.detach()
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

    private func take(_ result: Result<Overview, any Error>) {
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
