import Base
import Configuration
import Glibc
import Mailbox
import WebPush

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
