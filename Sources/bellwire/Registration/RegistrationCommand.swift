import Base
import System

/// The API paths of registrations.
enum RegistrationsPath {
    static let all = "/api/v1/registrations"

    /// What the caller sees of all registrations.
    static func list(_ control: ControlConnection) throws -> [JSONNode] {
        let answer = try control.send("GET", all)
        return (try? JSONDocument(answer))?.root["registrations"]?.elements ?? []
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
        let named = try list(control).filter { AccountName($0).isCalled(name) }
        let own = named.filter { !$0.has("owner") }
        if own.isEmpty, !named.isEmpty {
            throw unclear(
                "only other owners have a registration \(Printable.text(name))", named)
        }
        let heard = own.filter { AccountName($0).app == AccountName.scripts }
        let found = heard.isEmpty ? own : heard
        guard let id = found.first?["id"]?.text else {
            throw CommandError(
                message: "there is no registration \(Printable.text(name))",
                hint: "run bellwire list to see all registrations", exitCode: .refused)
        }
        guard found.count == 1 else {
            throw unclear("\(found.count) registrations are called \(Printable.text(name))", found)
        }
        return try one(id)
    }

    private static func unclear(_ what: String, _ found: [JSONNode]) -> CommandError {
        let ids = found.compactMap { $0["id"]?.text }.map { Printable.text($0) }
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
        return try RegistrationText.print(answer, arguments) { try RegistrationText.list($0) }
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
        return try RegistrationText.print(answer, arguments) { try RegistrationText.summary($0) }
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
        return try RegistrationText.print(answer, arguments) { try RegistrationText.full($0) }
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
enum RegistrationText {
    /// Prints the answer as JSON or as `text` renders it.
    static func print(
        _ answer: [UInt8], _ arguments: Arguments, _ text: (JSONNode) throws -> String
    ) throws -> ExitCode {
        if arguments.has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write("\n")
            return .success
        }
        guard let document = try? JSONDocument(answer) else { throw unreadable }
        try StandardOutput.write(try text(document.root))
        return .success
    }

    private static var unreadable: CommandError {
        CommandError(message: "the server's answer cannot be read")
    }

    private static func word(_ node: JSONNode?) throws -> String {
        guard let text = node?.textOrNumber else { throw unreadable }
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
