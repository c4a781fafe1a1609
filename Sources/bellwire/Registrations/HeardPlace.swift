import Base
import Configuration
import Mailbox
import WebPush

/// An endpoint for the pushes of scripts.
struct HeardPlace: Confidential {
    private let id: String
    private let name: String
    private let endpoint: String
    /// Whether it was made just now.
    private let isNew: Bool

    /// After this long without a client that shows them, or a look at it, the endpoint ends: a year.
    private static let lifetime = 31_536_000

    /// Finds the caller's endpoint of that name, or makes one.
    init(named name: String, _ connection: ControlConnection) throws {
        let answer = try connection.send("GET", RegistrationsPath.all)
        if let id = try Self.known(name, try Self.root(answer)) {
            // Reading it is a sign of life.
            let answer = try connection.send("GET", RegistrationsPath.one(id))
            try self.init(name, try Self.root(answer), isNew: false)
        } else {
            let answer = try connection.send("POST", RegistrationsPath.all, Self.request(name))
            try self.init(name, try Self.root(answer), isNew: true)
        }
    }

    private init(_ name: String, _ node: JSONNode, isNew: Bool) throws {
        guard let id = node["id"]?.text, let endpoint = node["endpoint"]?.text else {
            throw Self.unreadable
        }
        (self.id, self.name, self.endpoint, self.isNew) = (id, name, endpoint, isNew)
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
    private static func known(_ name: String, _ root: JSONNode) throws -> String? {
        let found = root["registrations"]?.elements.last { node in
            node["app"]?.text == RegistrationTerms.scripts && node["account"]?.text == name
                && node.has("hears") && !node.has("owner")
        }
        return found?["id"]?.text
    }

    private static func request(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("token_type", RegistrationTerms.TokenType.webPush.rawValue)
            writer.member("app", RegistrationTerms.scripts)
            writer.member("account", name)
            writer.member("dialect", "plain")
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
            writer.member("new", isNew)
        }
        return writer.text + "\n"
    }

    func text(trusting configuration: ServerConfiguration) -> String {
        let address = ShellWord.quoted(Printable.text(endpoint))
        return """
            \(Printable.text(name)) is heard at this address; keep it secret:
              \(Printable.text(endpoint))
            try it:
              curl \(authority(configuration))-d "the build is green" \(address)
            for another address: bellwire rotate \(id); to end it: bellwire revoke \(id)

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
