import Base
import System

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
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("top takes options only", hint: "see bellwire top --help")
        }
        let pause = try seconds(arguments["every"])
        let control = try ControlConnection(arguments)
        let answer = try control.send("GET", overviewPath)
        guard !arguments.has("json") else {
            try StandardOutput.write(answer.span)
            try StandardOutput.write(answer.last == UInt8(ascii: "\n") ? "" : "\n")
            return .success
        }
        let report = try report(answer)
        guard arguments.wantsView else {
            let text = OverviewText(report: report, context: .own)
            try StandardOutput.write(text.plain(now: Int(WallClock.now)))
            return .success
        }
        let view = TopView(report, .own, at: TopSession.seconds)
        let session = try TopSession(view, TerminalShell())
        // Its shell does not keep it.
        try withExtendedLifetime(session) {
            try session.run(every: pause) {
                try Self.report(try control.send("GET", overviewPath))
            }
        }
        return .success
    }

    private static func report(_ answer: [UInt8]) throws -> OverviewReport {
        guard let document = try? JSONDocument(answer) else {
            throw CommandError(message: "the server's answer cannot be read")
        }
        return OverviewReport(document.root)
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
