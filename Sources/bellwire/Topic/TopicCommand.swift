import Base
import Notifications
import System
import WebPush

extension Command {
    static let topic = Command(
        name: "topic",
        summary: "get addresses to which scripts can push with curl, and end them",
        verbs: [
            Verb("add", "NAME", addTopic), Verb("list", "", listTopics),
            Verb("show", "NAME|ID", showTopic), Verb("rotate", "NAME|ID", rotateTopic),
            Verb("remove", "NAME|ID", removeTopic),
        ],
        details: """
            Asks the running server through its control socket. add prints the addresses of a topic.
            Whoever knows the long one can show you notifications, so keep it secret. The short one,
            under which programs push that know ntfy, needs a token: add makes one for a new topic
            and prints it once; bellwire token adds others. The same NAME gives the same addresses
            again. If no screen is connected that shows what comes, add says so. list names all
            topics; show also says how many pushes could not be read. rotate gives a topic another
            long address, and other secret ones; the former long one keeps working for seven days,
            secret ones end at once. remove ends a topic with its token and all that it keeps: its
            senders are told that the address is gone, and a topic of the same name that is added
            later has another.

            With --open, everybody who reaches the server may push to the short address without a
            token; on a server where registration is not open, administrators may allow that. With
            --secret, there is another short address, and whoever knows it may push. Add with these
            options changes a topic that is there; what you do not say stays as it is.

            A push is plain text; the header fields Title, Priority (1 to 5, or min, low, default,
            high, max), Tags (separated by commas) and Click (an https link) say how it is shown.
            They may also be in the query. Or it is JSON with title, message, priority, tags and
            click, or a form with these. What else ntfy knows is named in the field Bellwire-Ignored
            of the answer; a push that is to be shown later is refused.

            A button of a notification that sends a request reaches only the internet, and by https.
            --inside names hosts in your home, or on the machine where you press it, that buttons of
            senders with a token may reach as well; each time it says all of them.

            With --from, the address is for the webhook of a service, in that service's own JSON.
            """,
        options: [
            Option("from", "SERVICE", of: "add", help: "what pushes there: " + TopicFormat.list),
            Option(
                "title", "TEXT", of: "add",
                help: "what it is called on the page and in Gotify's clients"),
            Option("description", "TEXT", of: "add", help: "what it is for, for the same places"),
            Option("open", of: "add", help: "let everybody push to its short address"),
            Option(
                "secret", of: "add", words: ["read"],
                help: "make an address for who knows it; --secret=read makes one to read, too"),
            Option(
                "private", of: "add", help: "end what --open and --secret have made"),
            Option(
                "keep", "TIME", of: "add",
                help: "how long it keeps what comes, as 7d; or off, or default"),
            Option(
                "raw", "on|off", of: "add",
                help: "show JSON of services as the text that it is; off by default"),
            Option(
                "inside", "HOSTS", of: "add",
                help: "hosts of your home, or localhost, that its buttons may reach; or none"),
            Option(
                "dismiss", TopicWish.dismissals.joined(separator: "|"), of: "add",
                help: "which screens a notification leaves that you close (default: everywhere)"),
            Option(
                "pictures", "own|all|off", of: "add",
                help: "whose links to pictures the server follows; your own senders' by default"),
            Option("address", of: "add", "rotate", help: "print only the address"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire topic add \"nightly build\"",
                help: "print an address, and a curl command that shows a notification"),
            Example(
                "bellwire topic add alerts --from alertmanager --address > address",
                help: "write an address for the webhook of Prometheus Alertmanager into a file"),
        ]
    )

    private static func addTopic(_ arguments: Arguments) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let format = try TopicFormat(arguments["from"])
        let address = try TopicAddress(
            named: arguments.positional[0], format, try TopicWish(arguments),
            makesToken: format.advice == nil && !arguments.has("address"), control)
        return try print(address, arguments)
    }

    private static func listTopics(_ arguments: Arguments) throws -> ExitCode {
        var topics = try RegistrationsPath.topics(ControlConnection(arguments))
        return try arguments.print(TopicText.list(topics)) { writer in
            writer.fields { $0.member("topics", &topics) }
        }
    }

    private static func showTopic(_ arguments: Arguments) throws -> ExitCode {
        let (control, path, _) = try place(of: arguments)
        return try arguments.print(try control.send("GET", path), \ListedRegistration.summary)
    }

    private static func rotateTopic(_ arguments: Arguments) throws -> ExitCode {
        let (control, path, topic) = try place(of: arguments)
        let made = try MadeRegistration(answer: try control.send("POST", path + "/rotate"))
        return try print(try TopicAddress(topic, rotated: made, control), arguments)
    }

    private static func removeTopic(_ arguments: Arguments) throws -> ExitCode {
        let (control, path, topic) = try place(of: arguments)
        _ = try control.send("DELETE", path)
        try arguments.say("removed \(Printable.text(topic.account))")
        return .success
    }

    private static func place(
        of arguments: Arguments
    ) throws -> (ControlConnection, path: String, ListedRegistration) {
        let control = try ControlConnection(arguments)
        let topic = try RegistrationsPath.topic(arguments.positional[0], control)
        return (control, try RegistrationsPath.one(topic.id), topic)
    }

    private static func print(_ address: TopicAddress, _ arguments: Arguments) throws -> ExitCode {
        if arguments.has("address") {
            try StandardOutput.write(address.line)
            if let warning = address.warning { StandardError.write("bellwire: \(warning)\n") }
            return .success
        }
        if arguments.has("json") {
            try StandardOutput.write(address.json)
            return .success
        }
        let configuration = try ConfigurationSources.read(arguments)
        try StandardOutput.write(address.text(trusting: configuration))
        return .success
    }
}

/// Topics as text.
private enum TopicText {
    static func list(_ topics: [ListedRegistration]) -> String {
        guard !topics.isEmpty else { return "no topics; make one with bellwire topic add NAME\n" }
        return TextTable.text(
            topics.map { topic in
                [
                    Printable.text(topic.id), Printable.text(topic.account),
                    Printable.text(topic.heard ?? ""), topic.topic?.reach ?? "",
                    topic.topic?.keeping ?? "", topic.isUnheard ? "nobody listens" : "",
                ]
            })
    }
}

extension RegistrationsPath {
    /// What `bellwire topic add` made, as far as the caller sees it.
    static func topics(_ control: ControlConnection) throws -> [ListedRegistration] {
        try list(control).filter { $0.app == AccountName.scripts && $0.heard != nil }
    }

    static func topic(
        _ name: String, _ control: ControlConnection
    ) throws -> ListedRegistration {
        let topics = try topics(control)
        return try topics.first { $0.id == name } ?? only("topic", name, of: topics)
    }
}

/// What pushes to the address of a topic.
struct TopicFormat {
    let dialect: Dialect
    /// Where to put the address; nil for scripts.
    let advice: String?

    static let list = Wording.list(Dialect.sources.map(\.word))

    init(_ word: String?) throws {
        guard let word else {
            (dialect, advice) = (.plain, nil)
            return
        }
        guard let source = Dialect.sources.first(where: { $0.word == word }) else {
            throw CommandError.usage("--from takes \(Self.list)")
        }
        (dialect, advice) = (source.dialect, source.advice)
    }

    /// Of a topic that is there.
    init(_ dialect: Dialect) {
        self.dialect = dialect
        advice = Dialect.sources.first { $0.word == dialect.word }?.advice
    }
}
