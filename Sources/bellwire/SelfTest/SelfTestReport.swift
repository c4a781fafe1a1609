import Base
import System

/// Prints each result at once.
final class SelfTestReport {
    private let isJSON: Bool
    private(set) var hasFailed = false
    /// Whether a step was left out, because it does not exist here.
    private(set) var hasSkipped = false

    /// The length of the longest title.
    private static let width = 15

    init(isJSON: Bool) { self.isJSON = isJSON }

    func add(_ result: HopResult) {
        hasFailed = hasFailed || result.isPassed == false
        hasSkipped = hasSkipped || result.isPassed == nil
        // If nobody reads the output any more, the test still has to clean up.
        try? StandardOutput.write(isJSON ? json(result) : text(result))
    }

    /// The last lines of a test that passed. JSON has only results.
    func end(_ text: String) {
        guard !isJSON else { return }
        try? StandardOutput.write(text)
    }

    private func text(_ result: HopResult) -> String {
        let title = result.hop.title
        let gap = String(repeating: " ", count: Self.width - title.count)
        let word = result.isPassed.map { $0 ? "pass" : "FAIL" } ?? "skip"
        let line = "\(word)  \(title)\(gap)  \(Printable.text(result.finding))\n"
        guard let advice = result.advice else { return line }
        return line + String(repeating: " ", count: Self.width + 8) + Printable.text(advice) + "\n"
    }

    private func json(_ result: HopResult) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("hop", result.hop.rawValue)
            writer.member("passed", json: result.isPassed.map { "\($0)" } ?? "null")
            writer.member("finding", result.finding)
            if let advice = result.advice { writer.member("advice", advice) }
        }
        return writer.text + "\n"
    }
}
