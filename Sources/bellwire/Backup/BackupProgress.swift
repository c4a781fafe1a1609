import Base
import Mailbox
import System

/// Shows how far a backup or a restore has got: a bar on a terminal, lines otherwise, JSON on
/// request. Nothing is shown twice.
final class BackupProgress {
    private enum Form { case bar, lines, json, nothing }

    private static let barLength = 30

    private let form: Form
    private var shown = ""

    init(_ arguments: Arguments, hasLines: Bool = true) {
        form =
            arguments.has("json")
            ? .json : StandardOutput.isTerminal ? .bar : hasLines ? .lines : .nothing
    }

    func report(_ step: BackupStep, _ done: Int, _ total: Int) {
        let percent = total == 0 ? 100 : done * 100 / total
        switch form {
        case .nothing: break
        case .bar: show("\r" + Self.bar(step, percent))
        case .lines where percent.isMultiple(of: 25): show("\(step.rawValue): \(percent) %\n")
        case .lines: break
        case .json:
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("event", "progress")
                writer.member("step", step.rawValue)
                writer.member("percent", percent)
            }
            show(writer.text + "\n")
        }
    }

    /// Shows the result.
    func end(_ text: String, _ json: String) throws {
        if form == .bar { show("\r\u{1B}[K") }
        try StandardOutput.write(form == .json ? json + "\n" : text)
    }

    private static func bar(_ step: BackupStep, _ percent: Int) -> String {
        let count = barLength * percent / 100
        return "\(step.rawValue) [" + String(repeating: "#", count: count)
            + String(repeating: " ", count: barLength - count) + "] \(percent) %\u{1B}[K"
    }

    private func show(_ text: String) {
        guard text != shown else { return }
        shown = text
        // The work matters more than what is said about it.
        try? StandardOutput.write(text)
    }
}
