import Base
import System

/// The API paths of registrations.
enum RegistrationsPath {
    static let all = "/api/v1/registrations"

    /// What the caller sees of all registrations.
    static func list(_ control: ControlConnection) throws -> [JSONNode] {
        try JSONNode(answer: try control.send("GET", all))["registrations"]?.elements ?? []
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
        let topics = all.filter { node in
            AccountName(node).app == AccountName.scripts && AccountName(node).isCalled(name)
                && !node.has("owner")
        }
        let found = try only("registration", name, of: topics.isEmpty ? all : topics)
        return try one(found["id"]?.text ?? "")
    }

    /// The one that has this name. Administrators also see what belongs to others, with its owner,
    /// and reach that by its id alone: a name may be somebody else's by mistake.
    static func only(_ kind: String, _ name: String, of list: [JSONNode]) throws -> JSONNode {
        let named = list.filter { AccountName($0).isCalled(name) }
        let own = named.filter { !$0.has("owner") }
        if own.isEmpty, !named.isEmpty {
            throw unclear("only other owners have a \(kind) \(Printable.text(name))", named)
        }
        guard let found = own.first else {
            throw CommandError(
                message: "there is no \(kind) \(Printable.text(name))",
                hint: "run bellwire \(kind) list to see all \(kind)s", exitCode: .refused)
        }
        guard own.count == 1 else {
            throw unclear("\(own.count) \(kind)s are called \(Printable.text(name))", own)
        }
        return found
    }

    private static func unclear(_ what: String, _ found: [JSONNode]) -> CommandError {
        let ids = found.compactMap { $0["id"]?.text }.map { Printable.text($0) }
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
        return try arguments.print(answer, RegistrationText.list)
    }

    private static func showRegistration(_ arguments: Arguments) throws -> ExitCode {
        let (control, path) = try place(of: arguments)
        return try arguments.print(try control.send("GET", path), RegistrationText.summary)
    }

    private static func rotateRegistration(_ arguments: Arguments) throws -> ExitCode {
        let (control, path) = try place(of: arguments)
        let answer = try control.send("POST", path + "/rotate")
        return try arguments.print(answer, RegistrationText.full)
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
enum RegistrationText {
    private static func word(_ node: JSONNode?) throws -> String {
        guard let text = node?.textOrNumber else { throw CommandError.unreadable }
        return Printable.text(text)
    }

    static func full(_ root: JSONNode) throws -> String {
        var lines = [
            "registration \(try word(root["id"])); keep these secret:",
            "  token for account.registerDevice (type \(try word(root["register_device"]?["token_type"]))):",
            "    \(try word(root["token"]))", "  endpoint:", "    \(try word(root["endpoint"]))",
            "  push receiver id:", "    \(try word(root["push_receiver_id"]))",
        ]
        lines += secrets(root)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Endpoint and keys are in a file.
    static func kept(_ root: JSONNode, in path: String) throws -> String {
        let file = Printable.text(path)
        var lines = ["registration \(try word(root["id"])); keep \(file) secret"]
        lines += secrets(root)
        lines += ["push to it with: bellwire send --to \(ShellWord.quoted(file)) MESSAGE"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// What only this answer tells.
    private static func secrets(_ root: JSONNode) -> [String] {
        var lines: [String] = []
        if let secret = root["register_device"]?["secret"]?.text, !secret.isEmpty {
            lines += ["  secret:", "    \(Printable.text(secret))"]
        }
        if let secret = root["callback_secret"]?.text {
            lines += ["  callbacks are signed with:", "    \(Printable.text(secret))"]
        }
        return lines
    }

    static func list(_ root: JSONNode) throws -> String {
        let registrations = root["registrations"]?.elements ?? []
        guard !registrations.isEmpty else {
            return "no registrations; make one with bellwire register\n"
        }
        return TextTable.text(
            try registrations.map { node in
                [
                    try word(node["id"]), try word(node["app"]), try word(node["account"]),
                    "type " + (try word(node["token_type"])),
                    "until " + LocalTime.text(Int(node["expires"]?.integer ?? 0)),
                    node["trust_clear"]?.bool == true ? "trusts clear" : "",
                    isUnheard(node) ? "nobody listens" : "",
                ]
            })
    }

    /// Only a screen shows what is pushed there, and none is connected.
    static func isUnheard(_ node: JSONNode) -> Bool { node["unheard"]?.bool == true }

    static func summary(_ node: JSONNode) throws -> String {
        var rows = [
            ["registration", try word(node["id"])], ["app", try word(node["app"])],
            ["account", try word(node["account"])], ["type", try word(node["token_type"])],
            ["push receiver id", try word(node["push_receiver_id"])],
            ["endpoint", try word(node["endpoint"])],
            ["created", LocalTime.text(Int(node["created"]?.integer ?? 0))],
            ["expires", LocalTime.text(Int(node["expires"]?.integer ?? 0))],
        ]
        if let service = node["service"]?.text {
            rows.insert(["application", Printable.text(service)], at: 3)
        }
        if node["trust_clear"]?.bool == true {
            rows.append(["in clear", "trusted: may have actions"])
        }
        if isUnheard(node) {
            rows.append(["nobody listens", Sentence.nobodyListens.text(.english)])
        }
        for (reason, count) in node["undecryptable"]?.members ?? [] {
            rows.append(["undecryptable", "\(try word(count)) \(Printable.text(reason))"])
        }
        return TextTable.text(rows)
    }
}
