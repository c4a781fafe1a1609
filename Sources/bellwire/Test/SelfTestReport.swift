import Base
import System

/// The steps of a message, in the order in which `bellwire test` checks them.
enum Hop: String {
    case name
    case connection
    case link
    case endpoint
    case push
    case delivery
    case store
    case redelivery
    case end
    case desktop
    case application
    case screen
    case addresses

    /// The step's name in the output.
    var title: String {
        switch self {
        case .name: "DNS"
        case .connection: "TLS and proxy"
        case .redelivery: "later delivery"
        case .end: "unsubscription"
        case .desktop: "D-Bus"
        default: rawValue
        }
    }
}

/// The result of one step.
struct HopResult: Equatable {
    let hop: Hop
    /// Nil: the step does not exist here.
    let isPassed: Bool?
    /// What the test observed.
    let finding: String
    /// What to change.
    let advice: String?

    static func passed(_ hop: Hop, _ finding: String) -> HopResult {
        HopResult(hop: hop, isPassed: true, finding: finding, advice: nil)
    }

    static func skipped(_ hop: Hop, _ finding: String) -> HopResult {
        HopResult(hop: hop, isPassed: nil, finding: finding, advice: nil)
    }

    static func failed(_ hop: Hop, _ finding: String, advice: String) -> HopResult {
        HopResult(hop: hop, isPassed: false, finding: finding, advice: advice)
    }
}

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
        JSONWriter.line { writer in
            writer.member("hop", result.hop.rawValue)
            writer.member("passed", json: result.isPassed.map { "\($0)" } ?? "null")
            writer.member("finding", result.finding)
            if let advice = result.advice { writer.member("advice", advice) }
        }
    }
}

/// What to try once everything works.
enum NextSteps {
    /// `isComplete`: the test went as far as the screen.
    static func text(isServerHere: Bool, isComplete: Bool) -> String {
        let result =
            isComplete
            ? "everything works"
            : "what is here works, but this test did not reach a screen (see skip above)"
        return "\n\(result); next you can try:\n" + (isServerHere ? server : desktop)
    }

    private static let server = """
          bellwire topic add builds                   # an address to which any script can push with curl
          bellwire device add phone --receive-only    # an address for a phone or a browser
          bellwire device add laptop                  # an address for the desktop of another machine
        The pages in docs/recipes set up Firefox, Telegram, Matrix, monitoring and more.

        """

    private static let desktop = """
          bellwire desktop              # with this address in the file receivers
          bellwire apps list            # the receivers, and the applications that get pushes here
        The pages in docs/recipes set up Firefox, KDE, Telegram, Matrix and more.

        """
}
