import Base
import System

/// Streams, by requests of JetStream's own. An answer comes on a thread of libnats.
struct JetStream: Sendable {
    let connection: NatsConnection

    /// In milliseconds.
    static let patience: Int64 = 2_000

    init(_ connection: NatsConnection) { self.connection = connection }

    func publish(
        _ subject: String, _ fields: [(String, String)], _ body: [UInt8],
        patience: Int64 = Self.patience, _ handler: @escaping @Sendable (PublishAnswer) -> Void
    ) {
        connection.request(subject, fields, body, before: Boot.milliseconds + patience) { answer in
            handler(PublishAnswer(answer))
            return true
        }
    }

    func get(
        _ request: DirectGet, of stream: String,
        _ handler: @escaping @Sendable (DirectGetAnswers.Outcome) -> Void
    ) {
        let answers = SharedAnswers()
        connection.request(
            "$JS.API.DIRECT.GET.\(stream)", [], request.request,
            before: Boot.milliseconds + Self.patience
        ) { answer in
            guard let outcome = answers.receive(answer) else { return false }
            handler(outcome)
            return true
        }
    }

    /// Removes messages of a subject, or of all, up to the one before `sequence`; without it, all.
    func purge(
        _ subject: String? = nil, before sequence: Int64? = nil, of stream: String,
        _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        var writer = JSONWriter()
        writer.object { writer in
            if let subject { writer.member("filter", subject) }
            if let sequence { writer.member("seq", Int(sequence)) }
        }
        ask("STREAM.PURGE.\(stream)", writer.bytes, handler)
    }

    func create(
        _ settings: StreamSettings, replicas: Int,
        _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        ask(
            "STREAM.CREATE.\(settings.name)", settings.request(replicas: replicas),
            patience: 2 * Self.patience, handler)
    }

    /// Who has no right to do so gets no answer.
    func delete(
        _ stream: String, patience: Int64, _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) { ask("STREAM.DELETE.\(stream)", [], patience: patience, handler) }

    /// Only the stream's leader answers. `subjects`: with the names of such subjects.
    func describe(
        _ stream: String, subjects: String? = nil, patience: Int64 = Self.patience,
        _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        var writer = JSONWriter()
        writer.object { writer in
            if let subjects { writer.member("subjects_filter", subjects) }
        }
        ask("STREAM.INFO.\(stream)", writer.bytes, patience: patience, handler)
    }

    private func ask(
        _ subject: String, _ body: [UInt8], patience: Int64 = Self.patience,
        _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        connection.request("$JS.API." + subject, [], body, before: Boot.milliseconds + patience) {
            handler(JetStreamAnswer($0))
            return true
        }
    }
}

/// What several calls of one handler collect.
private final class SharedAnswers: Sendable {
    private let answers = Lock(DirectGetAnswers())

    func receive(_ answer: NatsConnection.Answer) -> DirectGetAnswers.Outcome? {
        answers.withLock { $0.receive(answer) }
    }
}
