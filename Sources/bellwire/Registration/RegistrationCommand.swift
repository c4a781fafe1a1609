import Base
import System
import WebPush

/// The API paths of registrations.
enum RegistrationsPath {
    static let all = "/api/v1/registrations"

    /// What the caller sees of all registrations.
    static func list(_ control: ControlConnection) throws -> [ListedRegistration] {
        try [ListedRegistration](answer: try control.send("GET", all))
    }

    /// Ids are base64url; other characters could change the path.
    static func one(_ id: String) throws -> String {
        guard isID(id) else {
            throw CommandError.usage("not the id of a registration", hint: Self.hint)
        }
        return "\(all)/\(id)"
    }

    static let hint = "run bellwire registration list to see all registrations"

    private static func isID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Bits128(base64URL: bytes.span) != nil
    }

    /// The path of a registration that is named as people do: by its id, by its account, or, if
    /// several applications have that, as `APP/ACCOUNT`. A topic of that name comes first.
    static func named(_ name: String, _ control: ControlConnection) throws -> String {
        if isID(name) { return try one(name) }
        let all = try list(control)
        let topics = all.filter {
            $0.app == AccountName.scripts && $0.name.isCalled(name) && $0.owner == nil
        }
        return try one(try only("registration", name, of: topics.isEmpty ? all : topics).id)
    }

    /// The one that has this name. Administrators also see what belongs to others, with its owner,
    /// and reach that by its id alone: a name may be somebody else's by mistake.
    static func only(
        _ kind: String, _ name: String, of list: [ListedRegistration]
    ) throws -> ListedRegistration {
        let named = list.filter { $0.name.isCalled(name) }
        let own = named.filter { $0.owner == nil }
        if own.isEmpty, !named.isEmpty {
            throw unclear("only other owners have a \(kind) \(Printable.text(name))", named)
        }
        guard let found = own.first else {
            throw CommandError.refused(
                "there is no \(kind) \(Printable.text(name))",
                hint: "run bellwire \(kind) list to see all \(kind)s")
        }
        guard own.count == 1 else {
            throw unclear("\(own.count) \(kind)s are called \(Printable.text(name))", own)
        }
        return found
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
    static let registration = Command(
        name: "registration",
        summary: "list, show, rotate and revoke registrations",
        verbs: [
            Verb("list", "", listRegistrations), Verb("show", "NAME|ID", showRegistration),
            Verb("rotate", "NAME|ID", rotateRegistration),
            Verb("revoke", "NAME|ID", revokeRegistration),
        ],
        details: """
            Asks the running server through its control socket. list names your registrations, and
            when each ends; administrators see those of all owners. NAME is the account, or
            APP/ACCOUNT if several applications have it.

            show also says how many pushes could not be decrypted. Keys and secrets are not shown.
            If you lost them, rotate makes new ones.

            rotate gives the registration a new endpoint and new keys, and prints what the
            application passes to account.registerDevice from now on. The old endpoint and its keys
            keep working for seven days.

            revoke ends a registration and all its endpoints: senders that push there are told that
            the endpoint is gone.
            """,
        options: serverOptions,
        examples: [
            Example(
                "bellwire registration list --json",
                help: "print your registrations as JSON, for a script"),
            Example(
                "bellwire registration rotate telegram/me",
                help: "print a new endpoint and new keys for this registration"),
        ]
    )

    private static func listRegistrations(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", RegistrationsPath.all)
        return try arguments.print(answer, ListedRegistration.text)
    }

    private static func showRegistration(_ arguments: Arguments) throws -> ExitCode {
        let (control, path) = try place(of: arguments)
        return try arguments.print(try control.send("GET", path), \ListedRegistration.summary)
    }

    private static func rotateRegistration(_ arguments: Arguments) throws -> ExitCode {
        let (control, path) = try place(of: arguments)
        let answer = try control.send("POST", path + "/rotate")
        return try arguments.print(answer, \MadeRegistration.text)
    }

    private static func revokeRegistration(_ arguments: Arguments) throws -> ExitCode {
        let (control, path) = try place(of: arguments)
        _ = try control.send("DELETE", path)
        try arguments.say("revoked \(Printable.text(arguments.positional[0]))")
        return .success
    }

    /// The server, and the path of the registration that is named.
    private static func place(
        of arguments: Arguments
    ) throws -> (ControlConnection, path: String) {
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
                    registration.topic == nil
                        ? "until " + LocalTime.text(registration.expires) : "topic",
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
        ]
        if let topic {
            rows += topic.rows
        } else {
            rows.append(["expires", LocalTime.text(expires)])
        }
        if let service { rows.insert(["application", Printable.text(service)], at: 3) }
        if trustsClear { rows.append(["in clear", "trusted: may have actions"]) }
        if isUnheard { rows.append(["nobody listens", Sentence.nobodyListens.text(.english)]) }
        if let refusal {
            let why = Sentence.refusedSender(refusal.reason).text(.english)
            rows.append([
                "last refusal",
                "\(Printable.text(refusal.sender)) got \(refusal.status) at "
                    + "\(LocalTime.text(refusal.time)): \(Printable.text(why))",
            ])
        }
        for item in undecryptable {
            rows.append(["undecryptable", "\(item.count) \(Printable.text(item.name))"])
        }
        return TextTable.text(rows)
    }
}

extension TopicDetails {
    fileprivate var rows: [[String]] {
        var rows = [["history", keeping]]
        if let address { rows.insert(["short address", Printable.text(address)], at: 0) }
        if !reach.isEmpty { rows.append(["others", reach]) }
        if isRaw { rows.append(["JSON", "is shown as text"]) }
        if !inside.isEmpty {
            rows.append(["buttons reach", Printable.text(inside.joined(separator: ", "))])
        }
        if !dismissing.isEmpty { rows.append(["screens", dismissing]) }
        if let application {
            for (word, text) in [
                ("title", application.name), ("description", application.description),
            ] where !text.isEmpty { rows.append([word, Printable.text(text)]) }
        }
        return rows
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
