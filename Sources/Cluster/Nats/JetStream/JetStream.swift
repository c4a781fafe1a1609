package import Base
import System

/// Streams, by requests of JetStream's own. An answer comes on a thread of libnats.
package struct JetStream: Sendable {
    package let connection: NatsConnection

    /// In milliseconds.
    private static let patience: Int64 = 2_000

    package init(_ connection: NatsConnection) { self.connection = connection }

    private static var deadline: Int64 { Boot.milliseconds + patience }

    package func publish(
        _ subject: String, _ fields: [(String, String)], _ body: [UInt8],
        _ handler: @escaping @Sendable (PublishAnswer) -> Void
    ) {
        connection.request(subject, fields, body, before: Self.deadline) { answer in
            handler(PublishAnswer(answer))
            return true
        }
    }

    package func get(
        _ request: DirectGet, of stream: String,
        _ handler: @escaping @Sendable (DirectGetAnswers.Outcome) -> Void
    ) {
        let answers = Lock(DirectGetAnswers())
        connection.request(
            "$JS.API.DIRECT.GET.\(stream)", [], request.request, before: Self.deadline
        ) { answer in
            guard let outcome = answers.withLock({ $0.receive(answer) }) else { return false }
            handler(outcome)
            return true
        }
    }

    /// Deletes a message. One that is gone already counts as deleted.
    package func delete(
        _ sequence: Int64, of stream: String, _ handler: @escaping @Sendable (Bool?) -> Void
    ) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("seq", Int(sequence))
            writer.member("no_erase", true)
        }
        ask("STREAM.MSG.DELETE.\(stream)", writer.bytes) { answer in
            switch answer {
            case .done: handler(true)
            case .refused(_, JetStreamError.noMessage): handler(true)
            case .refused: handler(false)
            case .noResponder, .lost: handler(nil)
            }
        }
    }

    /// Deletes all messages of a subject, which may have wildcards.
    package func purge(
        _ subject: String, of stream: String,
        _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        var writer = JSONWriter()
        writer.object { $0.member("filter", subject) }
        ask("STREAM.PURGE.\(stream)", writer.bytes, handler)
    }

    package func create(
        _ settings: StreamSettings, _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        ask("STREAM.CREATE.\(settings.name)", settings.request, handler)
    }

    package func describe(
        _ stream: String, _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        ask("STREAM.INFO.\(stream)", [], handler)
    }

    private func ask(
        _ subject: String, _ body: [UInt8],
        _ handler: @escaping @Sendable (JetStreamAnswer) -> Void
    ) {
        connection.request("$JS.API." + subject, [], body, before: Self.deadline) { answer in
            handler(JetStreamAnswer(answer))
            return true
        }
    }
}
