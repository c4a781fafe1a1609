import Base
import System

/// What the servers tell of themselves, if the account may ask.
///
/// A server acknowledges a message that is not on its disk yet unless its configuration says
/// `sync_interval: always`, and some versions of servers lose what they have acknowledged in spite of
/// that. Only the system account can see both. For an account APP to ask, the
/// configuration of each server needs:
///
///     system_account: SYS
///     accounts {
///       SYS {
///         users: [ … ]
///         exports: [
///           { service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream, accounts: [APP] }
///         ]
///       }
///       APP {
///         jetstream: enabled
///         users: [ … ]
///         imports: [
///           { service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" }, to: "bw.servers" }
///         ]
///       }
///     }
struct ServerSurvey {
    static let subject = "bw.servers"
    /// In milliseconds.
    private static let patience: Int64 = 1_000

    private var answers: [String: ServerReport.Server] = [:]
    private var servers = 1

    /// Asks all servers. Nil if none answers. Blocks.
    static func report(_ connection: NatsConnection) -> ServerReport? {
        let survey = SharedSurvey()
        connection.request(subject, before: Boot.milliseconds + patience) { survey.receive($0) }
        _ = survey.isComplete.wait(atMost: 2 * patience)
        return survey.report
    }

    var report: ServerReport? {
        answers.isEmpty
            ? nil : ServerReport(servers: answers.values.sorted { $0.name < $1.name })
    }

    /// True when no other answer is to come.
    mutating func receive(_ answer: NatsConnection.Answer) -> Bool {
        guard case .message(let message) = answer, message.status == nil,
            let root = try? JSONDocument(message.body).root, let server = root["server"],
            let identifier = server["id"]?.text, let data = root["data"]
        else { return true }
        servers = Int(data["meta_cluster"]?["cluster_size"]?.integer ?? 1)
        answers[identifier] = ServerReport.Server(
            name: server["name"]?.text ?? identifier, version: server["ver"]?.text ?? "",
            syncsAlways: data["config"]?["sync_always"]?.bool ?? false)
        return answers.count >= servers
    }
}

/// What several calls of one handler collect.
private final class SharedSurvey: Sendable {
    let isComplete = AwaitedValue<Void>()
    private let survey = Lock(ServerSurvey())

    var report: ServerReport? { survey.withLock { $0.report } }

    func receive(_ answer: NatsConnection.Answer) -> Bool {
        let isComplete = survey.withLock { $0.receive(answer) }
        if isComplete { self.isComplete.bring(()) }
        return isComplete
    }
}

/// Which servers may lose what they have acknowledged.
package struct ServerReport: Equatable, Sendable {
    struct Server: Equatable, Sendable {
        let name: String
        let version: String
        let syncsAlways: Bool
    }

    let servers: [Server]

    /// The names of servers that do not sync each write.
    package var unsynced: [String] { servers.filter { !$0.syncsAlways }.map(\.name) }

    /// The names and versions of servers that lose writes in spite of that.
    package var unsafe: [String] {
        servers.filter { ServerVersion($0.version)?.losesWrites ?? false }
            .map { "\($0.name) (\($0.version))" }
    }

    /// How many servers are of either kind.
    package var doubtful: Int {
        servers.filter { server in
            !server.syncsAlways || ServerVersion(server.version)?.losesWrites ?? false
        }.count
    }
}

/// The version of a server of NATS.
struct ServerVersion: Comparable {
    private let numbers: [Int]

    /// Nil unless it begins with three numbers. What follows them is left out.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return nil }
        let digits = parts.prefix(3).map { $0.prefix { $0.isASCII && $0.isNumber } }
        numbers = digits.compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
    }

    private init(_ numbers: Int...) { self.numbers = numbers }

    static func < (one: ServerVersion, other: ServerVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }

    /// When a server makes room in a file, it writes the file anew and does not sync that, whatever
    /// its configuration says (nats-server#8475). 2.12.16, 2.14.6 and 2.15.0 were the first that do.
    var losesWrites: Bool {
        self < ServerVersion(2, 12, 16)
            || self >= ServerVersion(2, 13, 0) && self < ServerVersion(2, 14, 6)
    }
}
