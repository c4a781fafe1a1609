import Base
import Desktop

/// What became of the registrations of another distributor, as text and as JSON.
struct ImportReport {
    enum Outcome: Equatable {
        case taken
        case wouldBeTaken
        /// It is registered here already.
        case known
        case refused(String)

        /// From the answer of the desktop service.
        init(_ answer: String, reason: String) {
            switch (answer, DistributorService.ImportAnswer(rawValue: answer)) {
            case ("REGISTRATION_SUCCEEDED", _): self = .taken
            case (_, .wouldRegister): self = .wouldBeTaken
            case (_, .known): self = .known
            case (_, .otherApplication):
                self = .refused("another application, or another key, has its token here")
            case (_, .notInstalled): self = .refused("no program of this name is installed")
            case (_, .sandboxed):
                self = .refused("it is sandboxed: start it, and import again")
            case (_, nil): self = .refused(Self.meaning(of: reason))
            }
        }

        private static func meaning(of reason: String) -> String {
            switch reason {
            case "ACTION_REQUIRED": "no receiver is listed, or it has too many registrations"
            case "UNAUTHORIZED": "its sandbox may not have messages for this name"
            default: "the desktop service cannot register it"
            }
        }
    }

    struct Row {
        let service: String
        let description: String
        let outcome: Outcome

        init(_ service: String, _ description: String, _ outcome: Outcome) {
            self.service = Printable.text(service, limit: 80)
            self.description = Printable.text(description, limit: 80)
            self.outcome = outcome
        }
    }

    private let rows: [Row]
    private let provider: String
    private let isDryRun: Bool

    init(_ rows: [Row], provider: String, isDryRun: Bool) {
        self.rows = rows
        self.provider = Printable.text(provider, limit: 40)
        self.isDryRun = isDryRun
    }

    /// Whether all of them are here now, or would be.
    var isWhole: Bool {
        rows.allSatisfy { row in if case .refused = row.outcome { false } else { true } }
    }

    var text: String {
        guard !rows.isEmpty else { return "KUnifiedPush has no registrations\n" }
        return TextTable.text(
            rows.map { row in
                [row.service.isEmpty ? "?" : row.service, row.description, Self.words(row.outcome)]
            })
    }

    private static func words(_ outcome: Outcome) -> String {
        switch outcome {
        case .taken: "taken over"
        case .wouldBeTaken: "would be taken over"
        case .known: "is registered already"
        case .refused(let reason): "not taken over: \(reason)"
        }
    }

    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("provider", provider)
            writer.member("dry_run", isDryRun)
            writer.name("registrations")
            writer.array { writer in
                for row in rows {
                    writer.object { writer in
                        writer.member("service", row.service)
                        writer.member("description", row.description)
                        Self.append(row.outcome, to: &writer)
                    }
                }
            }
        }
        return writer.text + "\n"
    }

    private static func append(_ outcome: Outcome, to writer: inout JSONWriter) {
        switch outcome {
        case .taken, .wouldBeTaken: writer.member("result", "taken")
        case .known: writer.member("result", "known")
        case .refused(let reason):
            writer.member("result", "refused")
            writer.member("reason", reason)
        }
    }
}
