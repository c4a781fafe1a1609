import Base
import Configuration
import System

extension Command {
    static let ask = Command(
        name: "ask",
        summary: "ask a question at a topic, and wait for its answer",
        forms: ["TOPIC QUESTION"],
        most: 2,
        details: """
            Shows the question on your screens, with a button for each answer, and prints the answer
            that is given first. Everybody who answers later is told that one, and the question
            leaves all screens. It is made for a script: the exit code is 0 for the answer that you
            name first and 1 for any other; 3 if nobody answers in time, 4 if the question is
            withdrawn or may not be asked, and 5 if the server cannot be reached.

            TOPIC is the name of one of your topics; the running server is asked through its control
            socket. Or it is the address of a topic, for which --token names a file with a token that
            may push. Whoever asks cannot answer: use another credential than that of the screen.

            If the server or the connection breaks, the same question goes on, and nobody is asked
            twice; with --key this is so for another run of the command, too. A command that is
            interrupted withdraws its question.
            """,
        options: [
            Option("answer", "TEXT", help: "offer this answer; up to three, the first is yes"),
            Option("text", help: "take any text as an answer, where notifications have a reply"),
            Option("wait", "TIME", help: "how long to wait, up to 1h (default 10m)"),
            Option("title", "TEXT", help: "the title of the notification"),
            Option("key", "NAME", help: "the same name is the same question, also in another run"),
            Option("token", "FILE", help: "a file with a token, readable by you alone"),
            Option(
                "ca-file", "FILE",
                help: "trust these certificates (default: the system's, and a local server's)"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire ask deploys \"Deploy?\" --answer yes --answer no && deploy",
                help: "run a command if somebody says yes"),
            Example(
                "bellwire ask home \"What shall I buy?\" --text --wait 1h",
                help: "print what somebody writes"),
        ]
    ) { arguments in
        let wish = try AskWish(arguments)
        let place = try AskPlace(arguments)
        // Threads inherit the mask.
        let signals = TerminalSignals()
        let asker = QuestionAsker(wish, place)
        try asker.withdrawAtSignal(signals)
        return try asker.run(printsJSON: arguments.has("json"))
    }
}

/// What is asked.
struct AskWish: Confidential {
    let topic: String
    let question: String
    let title: String?
    let answers: [String]
    let takesText: Bool
    /// In seconds.
    let wait: Int
    let key: String

    private static let most = 3
    private static let (usualWait, longestWait) = (600, 3_600)
    /// Stands for any text.
    private static let anyText = "*"

    init(_ arguments: Arguments) throws {
        guard arguments.positional.count == 2 else {
            throw CommandError.usage(
                "ask takes a topic and a question", hint: "put the question in quotes")
        }
        (topic, question) = (arguments.positional[0], arguments.positional[1])
        title = arguments["title"]
        answers = arguments.all("answer") ?? []
        takesText = arguments.has("text")
        guard takesText || !answers.isEmpty, answers.count <= Self.most else {
            throw CommandError.usage("name up to three answers by --answer, or take any by --text")
        }
        wait = try arguments["wait"].map { try TimeSpan.typed($0) } ?? Self.usualWait
        guard wait <= Self.longestWait else { throw CommandError.usage("--wait takes up to 1h") }
        key = try arguments["key"] ?? RandomKey.make()
        guard (1...64).contains(key.utf8.count), key.utf8.allSatisfy(\.isWordCharacter) else {
            throw CommandError.usage(
                "not a name for a question", hint: "use up to 64 letters, digits, - and _")
        }
    }

    /// The body of the request that asks, in the JSON of ntfy's language.
    func json(of topic: String) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("topic", topic)
            writer.member("message", question)
            if let title { writer.member("title", title) }
            writer.name("ask")
            writer.array { writer in
                for answer in answers { writer.string(answer) }
                if takesText { writer.string(Self.anyText) }
            }
            writer.member("wait", "\(wait)s")
            writer.member("sequence_id", key)
        }
    }
}
