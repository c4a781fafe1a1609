import Base
import System

/// Says how far a long piece of work is: a bar on a terminal, lines elsewhere, or lines of JSON.
///
/// Bar and lines go to standard error, so that they do not mix with the result of the command.
struct Progress {
    enum Form {
        case bar, lines, json

        /// What the options and the terminal ask for.
        init(_ arguments: Arguments) {
            self = arguments.has("json") ? .json : StandardError.isTerminal ? .bar : .lines
        }
    }

    private static let width = 30
    private static let clearLine = "\r\u{1B}[K"

    private let what: String
    private let total: Int
    private let form: Form
    /// The last step that was shown: percents, or tens of them.
    private var step = -1

    init(what: String, total: Int, _ form: Form) {
        self.what = what
        self.total = total
        self.form = form
    }

    mutating func advance(to done: Int) {
        if let text = text(at: done) { write(text) }
    }

    /// Ends the line of a bar.
    func end() {
        if form == .bar, step >= 0 { write("\n") }
    }

    /// What to print now; nil if it would say nothing new.
    mutating func text(at done: Int) -> String? {
        let done = min(max(done, 0), total)
        let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
        let next = form == .lines ? percent / 10 : percent
        guard next != step else { return nil }
        step = next
        switch form {
        case .bar:
            let full = percent * Self.width / 100
            let bar =
                String(repeating: "#", count: full)
                + String(repeating: "-", count: Self.width - full)
            return "\(Self.clearLine)\(what) [\(bar)] \(percent) %"
        case .lines: return "\(what): \(percent) %\n"
        case .json:
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("what", what)
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
