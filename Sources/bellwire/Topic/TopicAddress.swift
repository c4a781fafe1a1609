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
        let known = try Self.known(name, format, connection)
        (self.name, self.format, isNew) = (name, format, known == nil)
        if let known {
            // Reading it is a sign of life.
            let shown = try Self.look(known.id, connection)
            (id, endpoint) = (shown.id, shown.endpoint)
        } else {
            let made = try MadeRegistration(
                answer: try connection.send(
                    "POST", RegistrationsPath.all, Self.request(name, format)))
            (id, endpoint) = (made.id, made.endpoint)
        }
        isHeard = try Self.isHeard(id, connection, patience: isNew ? Self.patience : 1)
    }

    /// The new address of a topic, from the answer to its rotation.
    init(
        _ topic: ListedRegistration, rotated made: MadeRegistration,
        _ connection: ControlConnection
    ) throws {
        guard let dialect = topic.heard.flatMap(Dialect.init(word:)) else {
            throw CommandError.unreadable
        }
        (id, endpoint) = (made.id, made.endpoint)
        (name, format, isNew) = (topic.account, TopicFormat(dialect), false)
        isHeard = try Self.isHeard(id, connection, patience: 1)
    }

    /// A desktop beside the server connects to a new account at once, which takes a moment.
    private static func isHeard(
        _ id: String, _ connection: ControlConnection, patience: Int
    ) throws -> Bool {
        for attempt in 0..<patience {
            if attempt > 0 { usleep(pause) }
            if try look(id, connection).hasListeners { return true }
        }
        return false
    }

    private static let patience = 10
    /// In microseconds.
    private static let pause: UInt32 = 100_000

    private static func look(
        _ id: String, _ connection: ControlConnection
    ) throws -> ListedRegistration {
        try ListedRegistration(answer: try connection.send("GET", RegistrationsPath.one(id)))
    }

    /// The latest one. Administrators also see what belongs to others, with its owner.
    private static func known(
        _ name: String, _ format: TopicFormat, _ connection: ControlConnection
    ) throws -> ListedRegistration? {
        let found = try RegistrationsPath.topics(connection).last {
            $0.account == name && $0.owner == nil
        }
        guard let found else { return nil }
        guard found.heard == format.dialect.word else {
            throw CommandError.refused(
                "\(Printable.text(name)) is heard already, in another format",
                hint: "choose another name, or end it: bellwire topic remove "
                    + Printable.text(found.id))
        }
        return found
    }

    private static func request(_ name: String, _ format: TopicFormat) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("token_type", RegistrationTerms.TokenType.webPush.rawValue)
            writer.member("app", AccountName.scripts)
            writer.member("account", name)
            writer.member("dialect", format.dialect.word)
            writer.member("clear", true)
            // The owner gives the address only to what may show notifications, with links.
            writer.member("trust_clear", true)
            writer.member("expires", lifetime)
        }
    }
}

/// What the user gets to see.
extension TopicAddress {
    var json: String {
        JSONWriter.line { writer in
            writer.member("id", id)
            writer.member("name", name)
            writer.member("endpoint", endpoint)
            writer.member("format", format.dialect.word)
            writer.member("new", isNew)
            writer.member("listening", isHeard)
        }
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
