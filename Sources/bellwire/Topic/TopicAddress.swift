import Base
import Configuration
import Glibc
import Mailbox
import Notifications
import System
import WebPush

/// The addresses of a topic, to which scripts and services push.
struct TopicAddress: Confidential {
    let id: String
    let name: String
    let endpoint: String
    let format: TopicFormat
    /// Whether it was made just now.
    let isNew: Bool
    private(set) var details: TopicDetails
    /// Made just now.
    private(set) var token: String?
    /// Whether a client is connected that shows what is pushed there.
    private(set) var isHeard = false

    /// Finds the caller's topic of that name, or makes one.
    init(
        named name: String, _ format: TopicFormat, _ wish: TopicWish, makesToken: Bool,
        _ connection: ControlConnection
    ) throws {
        let known = try Self.known(name, format, connection)
        (self.name, self.format, isNew) = (name, format, known == nil)
        if let known {
            // Reading it is a sign of life.
            let shown = try Self.look(known.id, connection)
            (id, endpoint, details) = (shown.id, shown.endpoint, shown.topic ?? TopicDetails())
            if let wanted = wish.details(after: details) {
                details = try Self.change(id, to: wanted, connection)
            }
        } else {
            let made = try MadeRegistration(
                answer: try connection.send(
                    "POST", RegistrationsPath.all,
                    RegistrationTerms.request(
                        topic: name, format.dialect, wish.details(after: TopicDetails()))))
            (id, endpoint, details) = (made.id, made.endpoint, made.topic ?? TopicDetails())
            if makesToken, details.address != nil { token = Self.makeToken(id, name, connection) }
        }
        isHeard = try Self.isHeard(id, connection, patience: isNew ? Self.patience : 1)
    }

    /// Gives a topic of the caller other settings.
    static func change(
        _ id: String, to wanted: TopicDetails, _ connection: ControlConnection
    ) throws -> TopicDetails {
        let path = try RegistrationsPath.one(id) + "/topic"
        return try TopicDetails(answer: try connection.send("PUT", path, wanted.json))
    }

    /// The new addresses of a topic, from the answer to its rotation.
    init(
        _ topic: ListedRegistration, rotated made: MadeRegistration,
        _ connection: ControlConnection
    ) throws {
        guard let dialect = topic.heard.flatMap(Dialect.init(word:)) else {
            throw CommandError.unreadable
        }
        (id, endpoint, details) = (made.id, made.endpoint, made.topic ?? TopicDetails())
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

    /// Reads and writes this topic, and ends with it. Nil if the owner has too many, or one of that
    /// name.
    private static func makeToken(
        _ id: String, _ name: String, _ connection: ControlConnection
    ) -> String? {
        let request = TokenRequest {
            $0.name = "topic:" + name.prefix(58)
            $0.registration = id
        }
        // The topic is there, and works without it.
        let answer = try? connection.send("POST", Command.tokensPath, request.json)
        return answer.flatMap { ListedToken(json: $0) }?.token
    }
}
