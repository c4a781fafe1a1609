import Base
import System

/// Says how far a long piece of work is: a bar on a terminal, lines elsewhere, or lines of JSON.
/// Nothing is said twice.
///
/// Bar and lines go to standard error, so that they do not mix with the result of the command.
final class Progress {
    enum Form {
        case bar, lines, json

        /// What the options and the terminal ask for.
        init(_ arguments: Arguments) {
            self = arguments.has("json") ? .json : StandardError.isTerminal ? .bar : .lines
        }
    }

    private static let width = 30
    private static let clearLine = "\r\u{1B}[K"

    private let form: Form
    /// What was last said: the step of the work, and percents or tens of them.
    private var said: (step: String, amount: Int)?

    init(_ form: Form) { self.form = form }

    /// An error that is reported afterwards gets a line of its own.
    deinit { end() }

    func advance(_ step: String, to done: Int, of total: Int) {
        if let text = text(step, at: done, of: total) { write(text) }
    }

    /// Ends the line of a bar.
    func end() {
        if form == .bar, said != nil { write("\n") }
        said = nil
    }

    /// Shows the result of the work.
    func end(_ text: String, _ json: String) throws {
        end()
        try StandardOutput.write(form == .json ? json + "\n" : text)
    }

    /// What to print now; nil if it would say nothing new.
    func text(_ step: String, at done: Int, of total: Int) -> String? {
        let done = min(max(done, 0), total)
        let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
        let amount = form == .lines ? percent / 10 : percent
        if let said, said == (step, amount) { return nil }
        said = (step, amount)
        switch form {
        case .bar:
            let full = percent * Self.width / 100
            let bar =
                String(repeating: "#", count: full)
                + String(repeating: "-", count: Self.width - full)
            return "\(Self.clearLine)\(step) [\(bar)] \(percent) %"
        case .lines: return "\(step): \(percent) %\n"
        case .json:
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("event", "progress")
                writer.member("step", step)
                writer.member("percent", percent)
                writer.member("done", done)
                writer.member("total", total)
            }
            return writer.text + "\n"
        }
    }

    private func write(_ text: String) {
        guard form == .json else { return StandardError.write(text) }
        // The work goes on, whether or not somebody reads.
        try? StandardOutput.write(text)
    }
}
