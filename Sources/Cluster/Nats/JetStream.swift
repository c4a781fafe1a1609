import Base
import Glibc
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

/// The same requests, for threads that may wait for the answer. The threads of libnats must not.
extension JetStream {
    func publish(
        _ subject: String, _ fields: [(String, String)], _ body: [UInt8],
        patience: Int64 = Self.patience
    ) -> PublishAnswer {
        answer(patience) { publish(subject, fields, body, patience: patience, $0) } ?? .unknown
    }

    func get(_ request: DirectGet, of stream: String) -> DirectGetAnswers.Outcome {
        answer { get(request, of: stream, $0) } ?? .lost
    }

    func delete(_ stream: String, patience: Int64) -> JetStreamAnswer {
        answer(patience) { delete(stream, patience: patience, $0) } ?? .lost
    }

    func purge(_ subject: String? = nil, before sequence: Int64? = nil, of stream: String)
        -> JetStreamAnswer
    {
        answer { purge(subject, before: sequence, of: stream, $0) } ?? .lost
    }

    func create(_ settings: StreamSettings, replicas: Int) -> JetStreamAnswer {
        answer(2 * Self.patience) { create(settings, replicas: replicas, $0) } ?? .lost
    }

    func describe(_ stream: String, subjects: String? = nil) -> JetStreamAnswer {
        answer { describe(stream, subjects: subjects, $0) } ?? .lost
    }

    /// The connection gives up a request after `patience`; this waits a little longer.
    private func answer<Answer: Sendable>(
        _ patience: Int64 = Self.patience,
        _ request: (@escaping @Sendable (Answer) -> Void) -> Void
    ) -> Answer? {
        let awaited = AwaitedValue<Answer>()
        request { awaited.bring($0) }
        return awaited.wait(atMost: patience + 500)
    }
}

/// A value that one thread brings and another one waits for.
final class AwaitedValue<Value: Sendable>: Sendable {
    private let value = Monitor<Value?>(nil)

    /// Only the first value counts.
    func bring(_ value: Value) {
        self.value.withLock { if $0 == nil { $0 = value } }
        self.value.signal()
    }

    /// Nil if no value came within so many milliseconds.
    func wait(atMost limit: Int64) -> Value? { value.wait(atMost: limit) { $0 } }
}

/// Makes the calling thread wait for a moment. It must have nothing else to do.
enum WorkPause {
    static func milliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1_000) }
}
