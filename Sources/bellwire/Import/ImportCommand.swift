import Base
import Bus
import Desktop
import System

extension Command {
    static let `import` = Command(
        name: "import",
        summary: "take over what other programs have: KUnifiedPush, ntfy, Gotify",
        verbs: [
            Verb("kunifiedpush", "[FILE]", importFromKUnifiedPush),
            Verb("ntfy", "[FILE|URL]", importFromNtfy),
            Verb("gotify", "FILE|URL", importFromGotify),
        ],
        details: """
            With --dry-run nothing is changed: the list says what would happen. The exit code is 3
            if something was not taken over; the list says why. What is read is only read.

            kunifiedpush reads the file in which KUnifiedPush's distributor keeps its registrations,
            and registers the same applications with the running desktop service. They keep their
            tokens and get new endpoints at once, as if they had asked for them; one that is closed
            is started for that. By default the file is ~/.config/KDE/kunifiedpush-distributor.conf.
            End KUnifiedPush's distributor before: its applications prefer it while it runs.

            ntfy and gotify ask the running server through its control socket to take topics,
            tokens and messages. All of it becomes yours. ntfy reads the server's configuration, by
            default /etc/ntfy/server.yml, or the file of its cache, with --users for that of its
            users; gotify reads its file of SQLite. With an address, they ask the server itself, with
            the token or the user and password in --token-file; ntfy then tells no list of topics, so
            name them by --topic.

            Messages keep their times, are kept for as long as the topic says, and show nothing on
            any screen. What is there is not taken again, so the command can be repeated. A token
            works on, and opens what was taken of what it opened; passwords do not. Of a name that
            several users have, say by --user to whom it goes: it becomes yours, and the others'
            tokens open it as before; who had only a password gets a token, which is shown once. No
            topic is open to everybody, unless --open names it.
            """,
        options: [Option("dry-run", help: "only show what would happen")]
            + foreignImportOptions + [.json],
        examples: [
            Example(
                "bellwire import ntfy --dry-run",
                help: "list what an ntfy server of this machine has, and change nothing"),
            Example("bellwire import kunifiedpush", help: "take over the applications"),
        ]
    )

    private static func importFromKUnifiedPush(_ arguments: Arguments) throws -> ExitCode {
        let path = try arguments.positional.first ?? usualFile()
        guard let file = KUnifiedPushFile(try TextFile.read(path)) else {
            throw CommandError(
                message: "\(Printable.text(path)) is not a file of KUnifiedPush's distributor",
                hint: "it keeps its registrations in ~/.config/KDE/kunifiedpush-distributor.conf")
        }
        let isDryRun = arguments.has("dry-run")
        // The report is one JSON object, which lines of progress would not be a part of.
        let progress = arguments.has("json") ? nil : Progress(Progress.Form(arguments))
        let rows = try file.entries.enumerated().map { number, entry in
            defer { progress?.advance("importing", to: number + 1, of: file.entries.count) }
            return try outcome(of: entry, isDryRun: isDryRun)
        }
        progress?.end()
        let report = ImportReport(rows, provider: file.provider, isDryRun: isDryRun)
        _ = try arguments.print(report.text, report.append)
        if try DesktopDialogue.hasOwner(competitor) {
            StandardError.write(
                "bellwire: hint: KUnifiedPush's distributor still runs, and applications prefer it: "
                    + "switch it off, and start them again\n")
        }
        return report.isWhole ? .success : .refused
    }

    private static let competitor = "org.unifiedpush.Distributor.kde"

    private static func usualFile() throws -> String {
        let home = Environment["HOME"].map { $0 + "/.config" }
        guard let folder = Environment["XDG_CONFIG_HOME"] ?? home else {
            throw CommandError.usage("there is no home folder", hint: "name the file")
        }
        return folder + "/KDE/kunifiedpush-distributor.conf"
    }

    private static func outcome(
        of entry: KUnifiedPushFile.Entry, isDryRun: Bool
    ) throws -> ImportReport.Row {
        let options: BusValue
        do throws(KUnifiedPushFile.Objection) {
            options = try entry.options(isDryRun: isDryRun)
        } catch {
            return ImportReport.Row(
                entry.service, entry.description, .refused(error.rawValue))
        }
        let answer = try DesktopDialogue.call("ImportRegistration", [options]).first?.members
        return ImportReport.Row(
            entry.service, entry.description,
            ImportReport.Outcome(
                answer?["success"]?.text ?? "", reason: answer?["reason"]?.text ?? ""))
    }
}

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
            switch (answer, ImportAnswer(rawValue: answer)) {
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

    func append(to writer: inout JSONWriter) {
        writer.member("provider", provider)
        writer.member("dry_run", isDryRun)
        writer.objects("registrations", rows) { row, writer in
            writer.member("service", row.service)
            writer.member("description", row.description)
            Self.append(row.outcome, to: &writer)
        }
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
