import Base

/// A request for the newest messages of some subjects, which any server with a copy answers.
package struct DirectGet: Sendable {
    package var subjects: [String]
    /// Messages with this sequence and later ones.
    package var from: Int64 = 1
    package var batch: Int

    package init(_ subjects: [String], from: Int64 = 1, batch: Int) {
        self.subjects = subjects
        self.from = from
        self.batch = batch
    }

    var request: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("multi_last")
            writer.array { writer in for subject in subjects { writer.string(subject) } }
            writer.member("batch", batch)
            if from > 1 { writer.member("seq", Int(from)) }
        }
        return writer.bytes
    }
}

/// A message as a stream keeps it.
package struct StreamMessage: Sendable {
    package let sequence: Int64
    package let subject: String
    package let message: NatsMessage

    /// Nil unless it is the answer to a direct get.
    init?(_ message: NatsMessage) {
        guard message.status == nil, let sequence = message["Nats-Sequence"].flatMap({ Int64($0) }),
            let subject = message["Nats-Subject"]
        else { return nil }
        self.sequence = sequence
        self.subject = subject
        self.message = message
    }
}

/// The answers to a direct get, as they come.
package struct DirectGetAnswers: Sendable {
    package enum Outcome: Sendable {
        /// In the order of the stream. `through`: the last sequence that the answering server knew;
        /// nil if it did not say. `isLast`: it has no more.
        case messages([StreamMessage], through: Int64?, isLast: Bool)
        /// More subjects match than a server looks for at once.
        case tooMany
        case lost
    }

    private var messages: [StreamMessage] = []

    package init() {}

    /// Nil until the last one has come.
    package mutating func receive(_ answer: NatsConnection.Answer) -> Outcome? {
        guard case .message(let message) = answer else { return .lost }
        switch message.status {
        case nil:
            guard let found = StreamMessage(message) else { return .lost }
            messages.append(found)
            return nil
        // The end of the answers.
        case 204:
            let rest = message["Nats-Num-Pending"].flatMap { Int($0) } ?? 0
            return .messages(
                messages, through: message["Nats-UpTo-Sequence"].flatMap { Int64($0) },
                isLast: rest == 0)
        case 404: return .messages([], through: nil, isLast: true)
        case 413: return .tooMany
        default: return .lost
        }
    }
}
