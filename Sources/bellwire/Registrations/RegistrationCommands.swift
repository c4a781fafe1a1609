import Base
import System
import WebPush

/// The API paths of registrations.
enum RegistrationsPath {
    static let all = "/api/v1/registrations"

    /// What the caller sees of all registrations.
    static func list(_ control: ControlConnection) throws -> [ListedRegistration] {
        try ServerAnswer.list(try control.send("GET", all))
    }

    /// Ids are base64url; other characters could change the path.
    static func one(_ id: String) throws -> String {
        let bytes = Array(id.utf8)
        guard Bits128(base64URL: bytes.span) != nil else {
            throw CommandError.usage(
                "not the id of a registration", hint: "run bellwire list to see all registrations")
        }
        return "\(all)/\(id)"
    }

    /// The path of a registration that is named as people do: by its id, by its account, or, if
    /// several applications have that, as `APP/ACCOUNT`. What `bellwire hear` made comes first.
    static func named(_ name: String, _ control: ControlConnection) throws -> String {
        let bytes = Array(name.utf8)
        if Bits128(base64URL: bytes.span) != nil { return try one(name) }
        // Administrators also see what belongs to others, with its owner, and reach that by its id alone:
        // a name may be somebody else's by mistake.
        let named = try list(control).filter { $0.name.isCalled(name) }
        let own = named.filter { $0.owner == nil }
        if own.isEmpty, !named.isEmpty {
            throw unclear(
                "only other owners have a registration \(Printable.text(name))", named)
        }
        let heard = own.filter { $0.app == AccountName.scripts }
        let found = heard.isEmpty ? own : heard
        guard let id = found.first?.id else {
            throw CommandError(
                message: "there is no registration \(Printable.text(name))",
                hint: "run bellwire list to see all registrations", exitCode: .refused)
        }
        guard found.count == 1 else {
            throw unclear("\(found.count) registrations are called \(Printable.text(name))", found)
        }
        return try one(id)
    }

    private static func unclear(
        _ what: String, _ found: [ListedRegistration]
    ) -> CommandError {
        let ids = found.map { Printable.text($0.id) }
        return CommandError.usage(
            what, hint: "name one by its id: " + ids.prefix(5).joined(separator: ", "))
    }
}

extension Command {
    static let list = Command(
        name: "list",
        summary: "list registrations",
        details: "Administrators see the registrations of all owners.",
        options: serverOptions,
        examples: [
            Example("bellwire list", help: "list your registrations, and when each ends"),
            Example("bellwire list --json", help: "print the same as JSON, for a script"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("list takes options only", hint: "see bellwire list --help")
        }
        let answer = try ControlConnection(arguments).send("GET", RegistrationsPath.all)
        return try ServerAnswer.show(list: answer, arguments, ListedRegistration.text)
    }

    static let show = Command(
        name: "show",
        summary: "show a registration, and how many pushes could not be decrypted",
        forms: ["NAME|ID"],
        details:
            "Keys and secrets are not shown. If you lost them, bellwire rotate makes new ones.",
        options: serverOptions,
        examples: [
            Example(
                "bellwire show builds", help: "show what bellwire hear builds has made"),
            Example(
                "bellwire show fF7tPMyLTBS0HQbY4QmR3w --json",
                help: "print it as JSON, for a script"),
        ]
    ) { arguments in
        let (control, path) = try place(arguments)
        let answer = try control.send("GET", path)
        return try ServerAnswer.show(answer, arguments, \ListedRegistration.summary)
    }

    static let rotate = Command(
        name: "rotate",
        summary: "give a registration a new endpoint and new keys",
        forms: ["NAME|ID"],
        details: """
            Prints what the application passes to account.registerDevice from now on. The old
            endpoint and its keys keep working for seven days.
            """,
        options: serverOptions,
        examples: [
            Example(
                "bellwire rotate telegram/me",
                help: "print a new endpoint and new keys for this registration"),
            Example(
                "bellwire rotate fF7tPMyLTBS0HQbY4QmR3w --json",
                help: "print them as JSON, for a script"),
        ]
    ) { arguments in
        let (control, path) = try place(arguments)
        let answer = try control.send("POST", path + "/rotate")
        return try ServerAnswer.show(answer, arguments, \MadeRegistration.text)
    }

    static let revoke = Command(
        name: "revoke",
        summary: "end a registration and all its endpoints",
        forms: ["NAME|ID"],
        details: "Senders that push there are told that the endpoint is gone.",
        options: serverOptions,
        examples: [
            Example(
                "bellwire revoke builds", help: "end what bellwire hear builds has made"),
            Example(
                "bellwire revoke fF7tPMyLTBS0HQbY4QmR3w --json",
                help: "do the same, and print nothing if it worked"),
        ]
    ) { arguments in
        let (control, path) = try place(arguments)
        _ = try control.send("DELETE", path)
        if !arguments.has("json") {
            try StandardOutput.write("revoked \(Printable.text(arguments.positional[0]))\n")
        }
        return .success
    }

    /// The server, and the path of the registration that is named.
    private static func place(
        _ arguments: Arguments
    ) throws -> (ControlConnection, path: String) {
        guard arguments.positional.count == 1 else {
            throw CommandError.usage(
                "name one registration", hint: "run bellwire list to see all registrations")
        }
        let control = try ControlConnection(arguments)
        return (control, try RegistrationsPath.named(arguments.positional[0], control))
    }
}

/// Registrations as text.
extension ListedRegistration {
    static func text(_ registrations: [ListedRegistration]) -> String {
        guard !registrations.isEmpty else {
            return "no registrations; make one with bellwire register\n"
        }
        return TextTable.text(
            registrations.map { registration in
                [
                    Printable.text(registration.id), Printable.text(registration.app),
                    Printable.text(registration.account), "type \(registration.tokenType)",
                    "until " + LocalTime.text(registration.expires),
                    registration.trustsClear ? "trusts clear" : "",
                    registration.isUnheard ? "nobody listens" : "",
                ]
            })
    }

    var summary: String {
        var rows = [
            ["registration", Printable.text(id)], ["app", Printable.text(app)],
            ["account", Printable.text(account)], ["type", "\(tokenType)"],
            ["push receiver id", Printable.text(receiverID)],
            ["endpoint", Printable.text(endpoint)], ["created", LocalTime.text(created)],
            ["expires", LocalTime.text(expires)],
        ]
        if let service { rows.insert(["application", Printable.text(service)], at: 3) }
        if trustsClear { rows.append(["in clear", "trusted: may have actions"]) }
        if isUnheard { rows.append(["nobody listens", Sentence.nobodyListens.text(.english)]) }
        for item in undecryptable {
            rows.append(["undecryptable", "\(item.count) \(Printable.text(item.name))"])
        }
        return TextTable.text(rows)
    }
}

extension MadeRegistration {
    var text: String {
        let lines = [
            "registration \(Printable.text(id)); keep these secret:",
            "  token for account.registerDevice (type \(tokenType)):",
            "    \(Printable.text(token))", "  endpoint:", "    \(Printable.text(endpoint))",
            "  push receiver id:", "    \(Printable.text(receiverID))",
        ]
        return (lines + secrets).joined(separator: "\n") + "\n"
    }

    /// Endpoint and keys are in a file.
    func text(keptIn path: String) -> String {
        let file = Printable.text(path)
        let first = ["registration \(Printable.text(id)); keep \(file) secret"]
        let last = ["push to it with: bellwire send --to \(ShellWord.quoted(file)) MESSAGE"]
        return (first + secrets + last).joined(separator: "\n") + "\n"
    }

    /// What only this answer tells.
    private var secrets: [String] {
        var lines: [String] = []
        if !secret.isEmpty { lines += ["  secret:", "    \(Printable.text(secret))"] }
        if let callbackSecret {
            lines += ["  callbacks are signed with:", "    \(Printable.text(callbackSecret))"]
        }
        return lines
    }
}
