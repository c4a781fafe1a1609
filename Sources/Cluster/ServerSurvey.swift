import Base
import System

/// What the servers tell of themselves, if the account may ask.
///
/// A server acknowledges a message that is not on its disk yet unless its configuration says
/// `sync_interval: always`. Only the system account can see that. For an account APP to ask, the
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

    private var answers: [String: Bool] = [:]
    private var servers = 1

    /// Whether all servers that answer write everything to their disks at once. Nil if that cannot
    /// be seen. Blocks.
    static func syncsAlways(_ connection: NatsConnection) -> Bool? {
        let survey = SharedSurvey()
        connection.request(subject, before: Boot.milliseconds + patience) { survey.receive($0) }
        return survey.result.wait(atMost: 2 * patience) ?? nil
    }

    var syncsAlways: Bool? { answers.isEmpty ? nil : answers.values.allSatisfy { $0 } }

    /// True when no other answer is to come.
    mutating func receive(_ answer: NatsConnection.Answer) -> Bool {
        guard case .message(let message) = answer, message.status == nil,
            let root = try? JSONDocument(message.body).root,
            let identifier = root["server"]?["id"]?.text, let data = root["data"]
        else { return true }
        servers = Int(data["meta_cluster"]?["cluster_size"]?.integer ?? 1)
        answers[identifier] = data["config"]?["sync_always"]?.bool ?? false
        return answers.count >= servers
    }
}

/// What several calls of one handler collect.
private final class SharedSurvey: Sendable {
    let result = Awaited<Bool?>()
    private let survey = Lock(ServerSurvey())

    func receive(_ answer: NatsConnection.Answer) -> Bool {
        let (isComplete, syncsAlways) = survey.withLock { survey in
            (survey.receive(answer), survey.syncsAlways)
        }
        if isComplete { result.bring(syncsAlways) }
        return isComplete
    }
}
