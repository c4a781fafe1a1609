import Base
import Configuration
import Glibc
import Mailbox
import Notifications
import System
import WebPush

/// The address of a topic: an endpoint for the pushes of scripts and services.
struct TopicAddress: Confidential {
    private let id: String
    private let name: String
    private let endpoint: String
    private let format: TopicFormat
    /// Whether it was made just now.
    private let isNew: Bool
    /// Whether a client is connected that shows what is pushed there.
    private var isHeard = false

    /// After this long without a client that shows them, or a look at it, the endpoint ends: a year.
    private static let lifetime = 31_536_000

    /// Finds the caller's endpoint of that name, or makes one.
    init(named name: String, _ format: TopicFormat, _ connection: ControlConnection) throws {
        if let id = try Self.known(name, format, connection) {
            // Reading it is a sign of life.
            let answer = try connection.send("GET", RegistrationsPath.one(id))
            try self.init(name, format, try JSONNode(answer: answer), isNew: false)
        } else {
            let answer = try connection.send(
                "POST", RegistrationsPath.all, Self.request(name, format))
            try self.init(name, format, try JSONNode(answer: answer), isNew: true)
        }
        isHeard = try Self.isHeard(id, connection, patience: isNew ? Self.patience : 1)
    }

    /// The new address of a topic, from the answer to its rotation.
    init(_ topic: JSONNode, rotated answer: JSONNode, _ connection: ControlConnection) throws {
        guard let name = topic["account"]?.text,
            let dialect = topic["hears"]?.text.flatMap(Dialect.init(word:))
        else { throw CommandError.unreadable }
        try self.init(name, TopicFormat(dialect), answer, isNew: false)
        isHeard = try Self.isHeard(id, connection, patience: 1)
    }

    /// A desktop beside the server connects to a new account at once, which takes a moment.
    private static func isHeard(
        _ id: String, _ connection: ControlConnection, patience: Int
    ) throws -> Bool {
        for attempt in 0..<patience {
            if attempt > 0 { usleep(pause) }
            let answer = try connection.send("GET", RegistrationsPath.one(id))
            if try JSONNode(answer: answer)["listening"]?.bool == true { return true }
        }
        return false
    }

    private static let patience = 10
    /// In microseconds.
    private static let pause: UInt32 = 100_000

    private init(
        _ name: String, _ format: TopicFormat, _ node: JSONNode, isNew: Bool
    ) throws {
        guard let id = node["id"]?.text, let endpoint = node["endpoint"]?.text else {
            throw CommandError.unreadable
        }
        (self.id, self.name, self.endpoint) = (id, name, endpoint)
        (self.format, self.isNew) = (format, isNew)
    }

    /// The latest one. Administrators also see what belongs to others, with its owner.
    private static func known(
        _ name: String, _ format: TopicFormat, _ connection: ControlConnection
    ) throws -> String? {
        let found = try RegistrationsPath.topics(connection).last { topic in
            topic["account"]?.text == name && !topic.has("owner")
        }
        guard let found, let id = found["id"]?.text else { return nil }
        guard found["hears"]?.text == format.dialect.rawValue else {
            throw CommandError(
                message: "\(Printable.text(name)) is heard already, in another format",
                hint: "choose another name, or end it: bellwire topic remove \(Printable.text(id))",
                exitCode: .refused)
        }
        return id
    }

    private static func request(_ name: String, _ format: TopicFormat) -> [UInt8] {
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
extension TopicAddress {
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

    var line: String { Printable.text(endpoint) + "\n" }

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
            for another address: bellwire topic rotate \(word); to end it: bellwire topic remove \(word)

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
