import Base
import Configuration
import Glibc
import Mailbox
import Notifications
import System
import WebPush

extension Command {
    static let hear = Command(
        name: "hear",
        summary: "get an address to which a script can push with curl",
        forms: ["NAME"],
        details: """
            Asks the running server through its control socket. Whoever knows the address can show
            you notifications, so keep it secret. The same NAME gives the same address again, until
            bellwire revoke NAME ends it. If no screen is connected that shows what comes, hear says
            so.

            A push is plain text; the header fields Title, Priority (1 to 5, or min, low, default,
            high, max), Tags (separated by commas) and Click (an https link) say how it is shown.
            They may also be in the query. Or it is JSON with title, message, priority, tags and
            click, or a form with these. What else ntfy knows is named in the field Bellwire-Ignored
            of the answer; a push that is to be shown later is refused.

            With --from, the address is for the webhook of a service, in that service's own JSON.
            """,
        options: [
            Option("from", "SERVICE", help: "what pushes there: " + HeardFormat.list),
            Option("address", help: "print only the address"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire hear \"nightly build\"",
                help: "print an address, and a curl command that shows a notification"),
            Example(
                "bellwire hear alerts --from alertmanager --address > address",
                help: "write an address for the webhook of Prometheus Alertmanager into a file"),
        ]
    ) { arguments in
        guard arguments.positional.count == 1 else {
            throw CommandError.usage("name what you want to hear", hint: "see bellwire hear --help")
        }
        let connection = try ControlConnection(arguments)
        let format = try HeardFormat(arguments["from"])
        let place = try HeardPlace(named: arguments.positional[0], format, connection)
        if arguments.has("address") {
            try StandardOutput.write(place.address)
            if let warning = place.warning { StandardError.write("bellwire: \(warning)\n") }
            return .success
        }
        if arguments.has("json") {
            try StandardOutput.write(place.json)
            return .success
        }
        let configuration = try ConfigurationSources.read(arguments)
        try StandardOutput.write(place.text(trusting: configuration))
        return .success
    }
}

/// An endpoint for the pushes of scripts and services.
struct HeardPlace: Confidential {
    private let id: String
    private let name: String
    private let endpoint: String
    private let format: HeardFormat
    /// Whether it was made just now.
    private let isNew: Bool
    /// Whether a client is connected that shows what is pushed there.
    private var isHeard = false

    /// After this long without a client that shows them, or a look at it, the endpoint ends: a year.
    private static let lifetime = 31_536_000

    /// Finds the caller's endpoint of that name, or makes one.
    init(named name: String, _ format: HeardFormat, _ connection: ControlConnection) throws {
        let answer = try connection.send("GET", RegistrationsPath.all)
        if let id = try Self.known(name, format, try Self.root(answer)) {
            // Reading it is a sign of life.
            let answer = try connection.send("GET", RegistrationsPath.one(id))
            try self.init(name, format, try Self.root(answer), isNew: false)
        } else {
            let answer = try connection.send(
                "POST", RegistrationsPath.all, Self.request(name, format))
            try self.init(name, format, try Self.root(answer), isNew: true)
        }
        isHeard = try Self.isHeard(id, connection, patience: isNew ? Self.patience : 1)
    }

    /// A desktop beside the server connects to a new account at once, which takes a moment.
    private static func isHeard(
        _ id: String, _ connection: ControlConnection, patience: Int
    ) throws -> Bool {
        for attempt in 0..<patience {
            if attempt > 0 { usleep(pause) }
            let answer = try connection.send("GET", RegistrationsPath.one(id))
            if try root(answer)["listening"]?.bool == true { return true }
        }
        return false
    }

    private static let patience = 10
    /// In microseconds.
    private static let pause: UInt32 = 100_000

    private init(
        _ name: String, _ format: HeardFormat, _ node: JSONNode, isNew: Bool
    ) throws {
        guard let id = node["id"]?.text, let endpoint = node["endpoint"]?.text else {
            throw Self.unreadable
        }
        (self.id, self.name, self.endpoint) = (id, name, endpoint)
        (self.format, self.isNew) = (format, isNew)
    }

    private static func root(_ answer: [UInt8]) throws -> JSONNode {
        do throws(JSONScanner.Failure) { return try JSONDocument(answer).root } catch {
            throw unreadable
        }
    }

    private static var unreadable: CommandError {
        CommandError(message: "the server's answer cannot be read")
    }

    /// The latest one. Administrators also see what belongs to others, with its owner.
    private static func known(
        _ name: String, _ format: HeardFormat, _ root: JSONNode
    ) throws -> String? {
        let found = root["registrations"]?.elements.last { node in
            node["app"]?.text == AccountName.scripts && node["account"]?.text == name
                && node.has("hears") && !node.has("owner")
        }
        guard let found, let id = found["id"]?.text else { return nil }
        guard found["hears"]?.text == format.dialect.rawValue else {
            throw CommandError(
                message: "\(Printable.text(name)) is heard already, in another format",
                hint: "choose another name, or end it: bellwire revoke \(Printable.text(id))",
                exitCode: .refused)
        }
        return id
    }

    private static func request(_ name: String, _ format: HeardFormat) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("token_type", RegistrationTerms.TokenType.webPush.rawValue)
            writer.member("app", AccountName.scripts)
            writer.member("account", name)
            writer.member("dialect", format.dialect.rawValue)
            writer.member("clear", true)
            // The owner gives the address only to what may show notifications, with links.
            writer.member("trust_clear", true)
            writer.member("expires", lifetime)
        }
        return writer.bytes
    }
}

/// What the user gets to see.
extension HeardPlace {
    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id)
            writer.member("name", name)
            writer.member("endpoint", endpoint)
            writer.member("format", format.dialect.rawValue)
            writer.member("new", isNew)
            writer.member("listening", isHeard)
        }
        return writer.text + "\n"
    }

    var address: String { Printable.text(endpoint) + "\n" }

    /// What is missing so that somebody sees a push; nil if nothing is.
    var warning: String? {
        isHeard ? nil : "nobody listens. " + Sentence.nobodyListens.text(.english)
    }

    func text(trusting configuration: ServerConfiguration) -> String {
        let address = ShellWord.quoted(Printable.text(endpoint))
        let trial = "curl \(authority(configuration))-d \"the build is green\" \(address)"
        let word = ShellWord.quoted(Printable.text(name))
        return """
            \(Printable.text(name)) is heard at this address; keep it secret:
              \(Printable.text(endpoint))
            \(warning.map { "\($0)\n" } ?? "")\
            \(format.advice == nil ? isHeard ? "try it" : "then try it" : "put it into the service"):
              \(format.advice ?? trial)
            for another address: bellwire rotate \(word); to end it: bellwire revoke \(word)

            """
    }

    /// The option that makes curl trust the certificate of a server on this machine.
    private func authority(_ configuration: ServerConfiguration) -> String {
        guard let origin = Origin(url: endpoint), origin.scheme == "https",
            let file = DevelopmentAuthority.file(configuration, for: origin.host)
        else { return "" }
        return "--cacert \(ShellWord.quoted(Printable.text(file))) "
    }
}

/// What pushes to an endpoint of `bellwire hear`.
struct HeardFormat {
    /// The word for it; nil for scripts.
    let service: String?
    let dialect: Dialect

    private static let services = [
        "alertmanager", "grafana", "github", "forgejo", "gitea", "uptime-kuma", "home-assistant",
    ]

    static let list =
        services.dropLast().joined(separator: ", ") + " or " + (services.last ?? "nothing")

    init(_ word: String?) throws {
        guard let word else {
            (service, dialect) = (nil, .plain)
            return
        }
        guard Self.services.contains(word), let dialect = Dialect(word: word) else {
            throw CommandError.usage("--from takes \(Self.list)")
        }
        (service, self.dialect) = (word, dialect)
    }

    /// Where to put the address.
    var advice: String? {
        switch service {
        case "alertmanager":
            "in alertmanager.yml, below receivers: webhook_configs with this url, and send_resolved: true"
        case "grafana": "in Grafana: Alerting, Contact points, an integration of type Webhook"
        case "github":
            "at GitHub: Settings, Webhooks, Add webhook; content type application/json, no secret"
        case "forgejo", "gitea": "in the repository: Settings, Webhooks; POST, application/json"
        case "uptime-kuma":
            "in Uptime Kuma: Settings, Notifications, type Webhook, POST, application/json"
        case "home-assistant":
            "in configuration.yaml, below notify: platform rest, resource with this address, method POST_JSON"
        default: nil
        }
    }
}
