import Base
import Configuration
import System
import WebPush

extension Command {
    static let token = Command(
        name: "token",
        summary: "add, list and remove the tokens that open topics",
        verbs: [
            Verb("add", "NAME", addToken), Verb("list", "", listTokens),
            Verb("remove", "NAME|ID", removeToken), Verb("confirm", "[NAME|ID]", confirmToken),
        ],
        details: """
            Asks the running server through its control socket. A token opens your topics, as far as
            it says, and nothing else. add prints it once; the server keeps only its hash. Give each
            program, and each person with whom you share a topic, a token of their own. remove ends
            it, and within a second all that is connected with it.

            Programs that know ntfy send it as a bearer, or as the password of any user. Programs
            for Gotify want another form: an application's token pushes to one topic, a client's
            reads. Services that know only Slack or Discord get an address that has the token in it;
            add prints two for a token that writes to one topic.

            A token that bellwire restore brought back may have been removed since the backup. It
            opens nothing before confirm.
            """,
        options: [
            Option(
                "topic", "NAME", of: "add",
                help: "the topic that it opens, or several with commas; * stands for any letters "
                    + "(default: all topics)"),
            Option("read", of: "add", help: "it reads; without one of these, it reads and writes"),
            Option("write", of: "add", help: "it pushes"),
            Option("answer", of: "add", help: "it answers questions"),
            Option("expires", "TIME", of: "add", help: "when it ends, as 30d (default: never)"),
            Option(
                "form", TokenRequest.forms.joined(separator: "|"), of: "add",
                help: "which programs it is for (default: ntfy)"),
            Option("all", of: "confirm", help: "confirm every token that waits for it"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire token add nas --topic backups --write",
                help: "print a token with which the NAS can push to one topic"),
            Example(
                "bellwire token add ann --topic \"home-*\" --read --expires 30d",
                help: "let somebody read some of your topics, for a month"),
        ]
    )

    static let tokensPath = "/api/v1/tokens"

    private static func addToken(_ arguments: Arguments) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let request = try TokenRequest(arguments, control)
        let answer = try control.send("POST", tokensPath, request.json)
        return try arguments.print(answer, \ListedToken.made)
    }

    private static func listTokens(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", tokensPath)
        return try arguments.print(answer, ListedToken.text)
    }

    private static func removeToken(_ arguments: Arguments) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let token = try listedToken(arguments.positional[0], control)
        _ = try control.send("DELETE", "\(tokensPath)/\(token.id)")
        try arguments.say("removed \(Printable.text(token.name))")
        return .success
    }

    private static func confirmToken(_ arguments: Arguments) throws -> ExitCode {
        try confirm("token", at: tokensPath, arguments) { name, control in
            let found =
                try name.map { [try listedToken($0, control)] }
                ?? allTokens(control).filter { !$0.isConfirmed }
            return found.map { ($0.id, $0.name) }
        }
    }

    private static func allTokens(_ control: ControlConnection) throws -> [ListedToken] {
        try [ListedToken](answer: try control.send("GET", tokensPath))
    }

    /// The token with this name or number. Names of others reach nothing.
    private static func listedToken(
        _ name: String, _ control: ControlConnection
    ) throws -> ListedToken {
        let tokens = try allTokens(control)
        let found = tokens.first { $0.name == name && $0.owner == nil }
        guard let found = found ?? tokens.first(where: { "\($0.id)" == name }) else {
            throw CommandError.refused(
                "there is no token \(Printable.text(name))",
                hint: "run bellwire token list to see all tokens")
        }
        return found
    }
}

extension TokenRequest {
    fileprivate init(_ arguments: Arguments, _ control: ControlConnection) throws {
        self.init()
        name = arguments.positional[0]
        form = arguments["form"]
        guard form.map(Self.forms.contains) ?? true else {
            throw CommandError.usage("--form takes \(Wording.list(Self.forms))")
        }
        (reads, writes) = (arguments.has("read"), arguments.has("write"))
        answers = arguments.has("answer")
        expires = try arguments["expires"].map(TimeSpan.typed)
        guard form == Self.application else {
            pattern = arguments["topic"]
            return
        }
        guard let topic = arguments["topic"] else {
            throw CommandError.usage("an application of Gotify needs --topic NAME")
        }
        registration = try RegistrationsPath.topic(topic, control).id
    }
}

/// Tokens as text.
extension ListedToken {
    fileprivate static func text(_ tokens: [ListedToken]) -> String {
        guard !tokens.isEmpty else { return "no tokens; add one with bellwire token add NAME\n" }
        return TextTable.text(
            tokens.map { token in
                [
                    "\(token.id)", Printable.text(token.name), token.rights,
                    Printable.text(token.pattern),
                    token.expires.map { "until " + LocalTime.text($0) } ?? "",
                    (token.form == TokenRequest.ntfy ? "" : Printable.text(token.form) + ", ")
                        + (token.lastSeen.map { "last used " + LocalTime.text($0) } ?? "never used")
                        + (token.isConfirmed ? "" : ", not let in: confirm it"),
                ]
            })
    }

    fileprivate var made: String {
        let topics = pattern == "*" ? "all your topics" : Printable.text(pattern)
        let end = expires.map { ", until " + LocalTime.text($0) } ?? ""
        return """
            token \(Printable.text(name)); keep it secret, it is shown only once
              \(Printable.text(token ?? ""))
            it \(rights) \(topics)\(end)
            \(webhooks)
            """
    }

    private var webhooks: String {
        guard let slackAddress, let discordAddress else { return "" }
        return """
            as a webhook of Slack, and as one of Discord:
              \(Printable.text(slackAddress))
              \(Printable.text(discordAddress))

            """
    }

    private var rights: String {
        let words = [
            (reads, "reads"), (writes, "writes"), (answers, "answers"), (ends, "deletes"),
        ]
        return words.filter(\.0).map(\.1).joined(separator: ", ")
    }
}
