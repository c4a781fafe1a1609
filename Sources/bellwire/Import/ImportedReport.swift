import Base
import Topics

/// What was taken of another server, and what was not, as text and as JSON.
struct ImportedReport: Confidential {
    struct Topic: Confidential {
        let name: String
        /// What its server calls it.
        let former: String
        let isNew: Bool
        /// Everybody may push to it now.
        let isOpen: Bool
        var taken = 0
        var files = 0
        var known = 0
        /// Older than what the topic keeps.
        var expired = 0
        /// There is no room for them.
        var full = 0
        var unreadable = 0
        /// Not due yet, and not asked for.
        var scheduled = 0
        var lostFiles = 0

        init(name: String, former: String, isNew: Bool, isOpen: Bool) {
            (self.name, self.former) = (name, former)
            (self.isNew, self.isOpen) = (isNew, isOpen)
        }

        /// One message, by the word of the server.
        mutating func count(_ word: String) {
            switch word {
            case "known": known += 1
            case "expired": expired += 1
            case "full": full += 1
            default: unreadable += 1
            }
        }

        fileprivate var counts: [(name: StaticString, count: Int, words: String)] {
            [
                ("messages", taken, taken == 1 ? "message" : "messages"),
                ("files", files, files == 1 ? "file" : "files"),
                ("known", known, "known"),
                ("expired", expired, "older than it keeps"),
                ("full", full, "without room"),
                ("unreadable", unreadable, "unreadable"),
                ("scheduled", scheduled, "scheduled (--scheduled takes them)"),
                ("lost_files", lostFiles, "without their files"),
            ]
        }
    }

    struct Token: Confidential {
        enum Outcome: Equatable {
            case taken
            case known
            /// A new one; empty if it would be made.
            case made(String)
        }

        let token: ImportPlan.Token
        let outcome: Outcome

        init(_ token: ImportPlan.Token, _ outcome: Outcome) {
            (self.token, self.outcome) = (token, outcome)
        }

        fileprivate var scope: String {
            let words = [(TopicRights.read, "reads"), (.write, "writes"), (.end, "deletes")]
            let rights = words.filter { token.rights.contains($0.0) }.map(\.1)
            let topics = token.topic?.text ?? token.pattern?.text ?? ""
            let other =
                token.isWider
                ? ", also what was not taken" : token.former.map { " (there: \($0))" } ?? ""
            return rights.joined(separator: ", ") + " " + topics + other
        }
    }

    var topics: [Topic] = []
    var tokens: [Token] = []
    private var refusals: [ImportPlan.Refusal]
    private let isDryRun: Bool

    init(_ refusals: [ImportPlan.Refusal], isDryRun: Bool) {
        (self.refusals, self.isDryRun) = (refusals, isDryRun)
    }

    mutating func refuse(_ kind: ImportPlan.Refusal.Kind, _ name: String, _ reason: String) {
        refusals.append(ImportPlan.Refusal(kind: kind, name: name, reason: reason))
    }

    /// Whether everything came, or would. Passwords never do, nor what is older than a topic keeps.
    var isWhole: Bool {
        !refusals.contains { $0.kind != .user }
            && !topics.contains { $0.unreadable + $0.full + $0.lostFiles > 0 }
    }

    var text: String {
        var rows = topics.map { topic in
            ["topic", Printable.text(topic.name, limit: 80), words(of: topic)]
        }
        for row in tokens {
            rows.append(["token", Printable.text(row.token.name, limit: 80), words(of: row)])
        }
        for refusal in refusals {
            rows.append([
                refusal.kind.rawValue, Printable.text(refusal.name, limit: 80),
                "not taken: \(Printable.text(refusal.reason, limit: 200))",
            ])
        }
        return rows.isEmpty ? "there is nothing to take\n" : TextTable.text(rows)
    }

    private func words(of topic: Topic) -> String {
        let verb = topic.isNew ? "taken" : "is there"
        let counts = topic.counts.filter { $0.count > 0 }.map { "\($0.count) \($0.words)" }
        let open = topic.isOpen ? ", open to everybody" : ""
        return (isDryRun && topic.isNew ? "would be taken" : verb) + open + ": "
            + (counts.isEmpty ? "no messages" : counts.joined(separator: ", "))
    }

    private func words(of row: Token) -> String {
        switch row.outcome {
        case .known: "is there"
        case .taken: (isDryRun ? "would be taken: " : "taken: ") + Printable.text(row.scope)
        case .made(""): "would be made, for a password: " + Printable.text(row.scope)
        case .made(let text):
            "made, for a password; shown only once: \(Printable.text(text)); "
                + Printable.text(row.scope)
        }
    }

    func append(to writer: inout JSONWriter) {
        writer.member("dry_run", isDryRun)
        writer.objects("topics", topics) { topic, writer in
            writer.member("name", topic.name)
            if topic.former != topic.name { writer.member("former", topic.former) }
            writer.member("new", topic.isNew)
            writer.member("open", topic.isOpen)
            for count in topic.counts where count.count > 0 {
                writer.member(count.name, count.count)
            }
        }
        writer.objects("tokens", tokens) { row, writer in
            writer.member("name", row.token.name)
            writer.member("topics", row.token.topic?.text ?? row.token.pattern?.text ?? "")
            if let former = row.token.former { writer.member("former_topics", former) }
            if row.token.isWider { writer.member("wider", true) }
            switch row.outcome {
            case .taken: writer.member("result", "taken")
            case .known: writer.member("result", "known")
            case .made(let text):
                writer.member("result", "made")
                if !text.isEmpty { writer.member("token", text) }
            }
        }
        writer.objects("not_taken", refusals) { refusal, writer in
            writer.member("kind", refusal.kind.rawValue)
            writer.member("name", refusal.name)
            writer.member("reason", refusal.reason)
        }
    }
}
