import Base
import System

/// The API paths of registrations.
enum RegistrationsPath {
    static let all = "/api/v1/registrations"

    /// Ids are base64url; other characters could change the path.
    static func one(_ id: String) throws -> String {
        let bytes = Array(id.utf8)
        guard Bits128(base64URL: bytes.span) != nil else {
            throw CommandError.usage(
                "not the id of a registration", hint: "run bellwire list to see all registrations")
        }
        return "\(all)/\(id)"
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
        forms: ["ID"],
        details:
            "Keys and secrets are not shown. If you lost them, bellwire rotate makes new ones.",
        options: serverOptions,
        examples: [
            Example(
                "bellwire show fF7tPMyLTBS0HQbY4QmR3w",
                help: "show the registration that has this id in bellwire list"),
            Example(
                "bellwire show fF7tPMyLTBS0HQbY4QmR3w --json",
                help: "print it as JSON, for a script"),
        ]
    ) { arguments in
        let path = try path(arguments)
        let answer = try ControlConnection(arguments).send("GET", path)
        return try RegistrationText.print(answer, arguments) { try RegistrationText.summary($0) }
    }

    static let rotate = Command(
        name: "rotate",
        summary: "give a registration a new endpoint and new keys",
        forms: ["ID"],
        details: """
            Prints what the application passes to account.registerDevice from now on. The old
            endpoint and its keys keep working for seven days.
            """,
        options: serverOptions,
        examples: [
            Example(
                "bellwire rotate fF7tPMyLTBS0HQbY4QmR3w",
                help: "print a new endpoint and new keys for this registration"),
            Example(
                "bellwire rotate fF7tPMyLTBS0HQbY4QmR3w --json",
                help: "print them as JSON, for a script"),
        ]
    ) { arguments in
        let path = try path(arguments)
        let answer = try ControlConnection(arguments).send("POST", path + "/rotate")
        return try RegistrationText.print(answer, arguments) { try RegistrationText.full($0) }
    }

    static let revoke = Command(
        name: "revoke",
        summary: "end a registration and all its endpoints",
        forms: ["ID"],
        details: "Senders that push there are told that the endpoint is gone.",
        options: serverOptions,
        examples: [
            Example(
                "bellwire revoke fF7tPMyLTBS0HQbY4QmR3w",
                help: "end the registration that has this id in bellwire list"),
            Example(
                "bellwire revoke fF7tPMyLTBS0HQbY4QmR3w --json",
                help: "do the same, and print nothing if it worked"),
        ]
    ) { arguments in
        let path = try path(arguments)
        _ = try ControlConnection(arguments).send("DELETE", path)
        if !arguments.has("json") {
            try StandardOutput.write("revoked \(arguments.positional[0])\n")
        }
        return .success
    }

    private static func path(_ arguments: Arguments) throws -> String {
        guard arguments.positional.count == 1 else {
            throw CommandError.usage(
                "name one registration", hint: "run bellwire list to see all registrations")
        }
        return try RegistrationsPath.one(arguments.positional[0])
    }
}
