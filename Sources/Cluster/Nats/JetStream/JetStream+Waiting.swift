/// The same, for threads that have nothing else to do. Those of libnats must not wait.
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

    /// Requests are given up at their end anyway; it waits a little longer.
    private func answer<Answer: Sendable>(
        _ patience: Int64 = Self.patience,
        _ request: (@escaping @Sendable (Answer) -> Void) -> Void
    ) -> Answer? {
        let awaited = Awaited<Answer>()
        request { awaited.bring($0) }
        return awaited.wait(atMost: patience + 500)
    }
}
