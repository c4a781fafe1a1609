import Base

extension Command {
    /// One thing to do with what the command is named after, such as `add` in `device add NAME`.
    struct Verb: Sendable {
        let name: String
        /// What follows, as help shows it; what is in brackets may be left out.
        let arguments: String
        let run: @Sendable (Arguments) throws -> ExitCode

        init(
            _ name: String, _ arguments: String,
            _ run: @escaping @Sendable (Arguments) throws -> ExitCode
        ) {
            (self.name, self.arguments, self.run) = (name, arguments, run)
        }

        var form: String { arguments.isEmpty ? name : "\(name) \(arguments)" }

        /// How many words may follow.
        fileprivate var counts: ClosedRange<Int> { Command.counts(arguments) }
    }

    private static func counts(_ form: String) -> ClosedRange<Int> {
        let words = form.split(separator: " ")
        return words.filter { !$0.hasPrefix("[") }.count...words.count
    }

    /// Refuses too few or too many arguments. Forms that begin with an option have none, unless `most`
    /// says so; with verbs it is for each verb to say.
    func check(_ arguments: Arguments) throws {
        guard verbs.isEmpty else { return }
        let isPlain = forms.count == 1 && !forms[0].hasPrefix("-")
        let counts = isPlain ? Self.counts(forms[0]) : 0...most
        guard !counts.contains(arguments.positional.count) else { return }
        throw CommandError.usage(
            counts.upperBound == 0 ? "\(name) takes options only" : "use \(name) \(forms[0])",
            hint: "see bellwire \(name) --help")
    }

    /// A noun with verbs. `implied` is the verb that is meant if none is given.
    init(
        name: String, summary: String, verbs: [Verb], implied: String? = nil, details: String = "",
        options: [Option] = [], examples: [Example] = []
    ) {
        self.init(
            name: name, summary: summary, forms: verbs.map(\.form), verbs: verbs, details: details,
            options: options, examples: examples
        ) { arguments in
            var arguments = arguments
            guard let word = arguments.takeVerb() ?? implied else {
                throw Self.use(verbs, of: name)
            }
            guard let verb = verbs.first(where: { $0.name == word }) else {
                let guess = MeantCommand.hint(word, orVerbOf: name, verbs.map(\.name))
                throw CommandError.usage(
                    "unknown command \(name) \(word)", hint: "\(guess)see bellwire \(name) --help")
            }
            guard verb.counts.contains(arguments.positional.count) else {
                throw Self.use([verb], of: name)
            }
            for option in options where arguments.has(option.name) && !option.isTaken(by: verb) {
                throw CommandError.usage(
                    "\(name) \(verb.name) takes no --\(option.name)",
                    hint: "see bellwire \(name) \(verb.name) --help")
            }
            return try verb.run(arguments)
        }
    }

    private static func use(_ verbs: [Verb], of name: String) -> CommandError {
        .usage(
            "use " + Wording.list(verbs.map { "\(name) \($0.form)" }),
            hint: "see bellwire \(name) --help")
    }
}

/// What somebody meant who typed a word that is no command or no verb.
enum MeantCommand {
    /// What was a command of its own.
    private static let former = [
        "hear": "topic add", "list": "registration list", "show": "registration show",
        "rotate": "registration rotate", "revoke": "registration revoke", "chats": "account list",
        "mute": "account mute", "unmute": "account unmute", "pause": "account pause",
        "unpause": "account unpause",
    ]

    /// A question for a hint, with a blank behind it; empty if no command is near.
    static func hint(_ word: String, in commands: [String]) -> String {
        question(NearestWord.to(word, in: commands + former.keys.sorted()).map { former[$0] ?? $0 })
    }

    static func hint(_ word: String, orVerbOf noun: String, _ verbs: [String]) -> String {
        if let verb = NearestWord.to(word, in: verbs) { return question("\(noun) \(verb)") }
        return question(NearestWord.to(word, in: former.keys.sorted()).flatMap { former[$0] })
    }

    private static func question(_ command: String?) -> String {
        command.map { "did you mean bellwire \($0)? " } ?? ""
    }
}
