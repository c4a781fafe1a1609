import Base
import System
import WebPush

extension Command {
    /// Options of every command that asks the running server.
    static let serverOptions = [
        Option(
            "state", "FOLDER", help: "the server's state folder, which holds its control socket"),
        Option("config", "FILE", help: "the server's configuration file"),
        Option.json,
    ]

    static let register = Command(
        name: "register",
        summary: "make an endpoint whose pushes the server decrypts",
        forms: ["--app NAME --account NAME"],
        details: """
            Asks the running server through its control socket. Prints what an application passes
            to account.registerDevice. Keep it secret: it holds the endpoint's secret. Type 10
            makes a Web Push endpoint with keys; type 4 makes one that only signals that there is
            something to fetch.

            With --subscription, endpoint and keys are written into a file that only you can read.
            bellwire send --to takes this file. The same app and account may write it again; any
            other file that exists is left alone, and no endpoint is made.
            """,
        options: [
            Option("type", "NUMBER", help: "token type: 10 (default) or 4"),
            Option("app", "NAME", help: "the application (required)"),
            Option("account", "NAME", help: "the account of the application (required)"),
            Option("user-id", "NUMBER", help: "the user id of the account"),
            Option(
                "other-user-id", "NUMBER",
                help: "the user id of another account on the device; repeatable"),
            Option("callback", "URL", help: "the address to which the server sends events"),
            Option("secret", "new", help: "encrypt payloads a second time, under a new secret"),
            Option(
                "secret-file", "FILE",
                help: "the same with your own secret: FILE has 256 bytes in base64url"),
            Option("vapid", help: "accept only pushes signed by the first signer's key"),
            Option(
                "dialect", "NAME", help: "the format of the payloads (default: that of the app)"),
            Option("clear", "yes|no", help: "accept bodies that are not encrypted"),
            Option(
                "trust-clear", help: "let unencrypted payloads carry actions, like encrypted ones"),
            Option(
                "notify-mode", "MODE", help: "which messages ring: disabled, sendOnlyOne and others"
            ),
            Option(
                "session-timeout", "SECONDS",
                help: "how long the user counts as online without a sign of life"
            ),
            Option("presentation", "JSON", help: "how notifications look and what they may do"),
            Option("service", "NAME", help: "the D-Bus name of the application to wake"),
            Option("app-id", "ID", help: "the only app_id that Matrix pushes may name"),
            Option(
                "ttl", "SECONDS",
                help: "the longest TTL that a push gets, whatever its sender asks for"),
            Option("expires", "SECONDS", help: "end the registration after this long without use"),
            Option("subscription", "FILE", help: "write the file that bellwire send --to takes"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire register --app telegram --account me --user-id 777",
                help: "make an endpoint for the Telegram account with the user id 777"),
            Example(
                "bellwire register --app script --account me --subscription script.json",
                help: "make an endpoint for scripts, and a file for bellwire send --to"),
        ]
    ) { arguments in
        let body = try terms(arguments)
        let connection = try ControlConnection(arguments)
        guard let path = arguments["subscription"] else {
            let answer = try connection.send("POST", RegistrationsPath.all, body)
            return try arguments.print(answer, \MadeRegistration.text)
        }
        // Without a place for the file, no registration is made.
        let file = try SubscriptionFile(
            path, app: arguments["app"] ?? "", account: arguments["account"] ?? "")
        let answer = try connection.send("POST", RegistrationsPath.all, body)
        let made = try MadeRegistration(answer: answer)
        do {
            try file.write(made)
        } catch {
            file.withdraw(made, connection)
            throw error
        }
        return try arguments.print(answer) { (_: MadeRegistration) in made.text(keptIn: path) }
    }

    private static func terms(_ arguments: Arguments) throws -> [UInt8] {
        var members = [("token_type", try number(arguments["type"] ?? "10", "type"))]
        for (option, member) in [
            ("user-id", "user_id"), ("session-timeout", "session_timeout"), ("ttl", "ttl"),
            ("expires", "expires"),
        ] {
            if let text = arguments[option] { members.append((member, try number(text, option))) }
        }
        for option in ["app", "account"] {
            guard let text = arguments[option] else {
                throw CommandError.usage(
                    "--\(option) is needed", hint: "see bellwire register --help")
            }
            members.append((option, JSONText.quoted(text)))
        }
        for (option, member) in [
            ("callback", "callback"), ("dialect", "dialect"), ("notify-mode", "notify_mode"),
            ("service", "service"), ("app-id", "app_id"),
        ] {
            if let text = arguments[option] { members.append((member, JSONText.quoted(text))) }
        }
        if let others = arguments.all("other-user-id") {
            let ids = try others.map { try number($0, "other-user-id") }
            members.append(("other_user_ids", "[\(ids.joined(separator: ","))]"))
        }
        if arguments.has("vapid") { members.append(("vapid", "true")) }
        if let word = arguments["clear"] { members.append(("clear", try flag(word))) }
        if arguments.has("trust-clear") { members.append(("trust_clear", "true")) }
        if let json = arguments["presentation"] {
            members.append(("presentation", try object(json)))
        }
        if let secret = try secret(arguments) { members.append(("secret", secret)) }
        return JSONWriter.object { writer in
            for (name, json) in members { writer.member(text: name, json: json) }
        }
    }

    private static func number(_ text: String, _ option: String) throws -> String {
        guard Int64(strictDecimal: Array(text.utf8).span) != nil else {
            throw CommandError.usage("--\(option) takes a number")
        }
        return text
    }

    private static func flag(_ word: String) throws -> String {
        switch word {
        case "yes": "true"
        case "no": "false"
        default: throw CommandError.usage("--clear takes yes or no")
        }
    }

    private static func object(_ json: String) throws -> String {
        guard (try? JSONDocument(Array(json.utf8)))?.root.kind == .object else {
            throw CommandError.usage("--presentation takes a JSON object")
        }
        return json
    }

    private static func secret(_ arguments: Arguments) throws -> String? {
        switch (arguments["secret"], arguments["secret-file"]) {
        case (nil, nil): return nil
        case ("new", nil): return JSONText.quoted("new")
        case (nil, let path?):
            let text = String(decoding: try KeyFile.read(path), as: UTF8.self)
            return JSONText.quoted(String(text.filter { !$0.isWhitespace }))
        default:
            throw CommandError.usage(
                "--secret takes only the word new",
                hint: "use --secret-file for a secret of your own")
        }
    }
}

/// The file that `bellwire register --subscription` writes and `bellwire send --to` reads. It is
/// written as a whole or not at all.
struct SubscriptionFile {
    private let path: String
    private let app: String
    private let account: String
    private let draft: DraftFile

    /// Claims the place. Only a file that was written for the same account may be there.
    init(_ path: String, app: String, account: String) throws {
        (self.path, self.app, self.account) = (path, app, account)
        do throws(SystemError) {
            draft = try DraftFile(for: path)
        } catch { throw Self.failure(path, error) }
        guard let content = try Self.content(of: path) else { return }
        guard let root = try? JSONDocument(content).root, root["registration"]?.text != nil,
            root["app"]?.text == app, root["account"]?.text == account
        else {
            throw CommandError(
                message: "\(path) exists, and is not the subscription of \(app)/\(account)",
                hint: "choose another name, or remove the file")
        }
    }

    /// Nil if there is no file.
    private static func content(of path: String) throws -> [UInt8]? {
        do throws(KeyFile.Failure) {
            return try KeyFile.read(path)
        } catch {
            if case .system(_, let error) = error, error.isMissingFile { return nil }
            throw error
        }
    }

    func write(_ made: MadeRegistration) throws {
        var copy = made
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("endpoint", made.endpoint)
            writer.fields { copy.keys(&$0) }
            writer.member("registration", made.id)
            writer.member("app", app)
            writer.member("account", account)
        }
        let line = writer.bytes + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try draft.append(line.span)
            try draft.publish()
        } catch { throw Self.failure(path, error) }
    }

    /// Nobody would know the endpoint of a registration whose file could not be written. If this
    /// fails too, the registration expires.
    func withdraw(_ made: MadeRegistration, _ connection: ControlConnection) {
        guard let path = try? RegistrationsPath.one(made.id) else { return }
        _ = try? connection.send("DELETE", path)
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandError {
        CommandError(message: "\(path) cannot be written: \(error)", hint: error.hint)
    }
}
