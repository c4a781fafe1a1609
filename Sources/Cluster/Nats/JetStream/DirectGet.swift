import Base

/// A request for messages of a stream, which any server with a copy answers. It may not have heard
/// of the newest ones yet.
enum DirectGet {
    /// The message with this sequence and those after it, as many as fit in so many bytes.
    case following(Int64, batch: Int, bytes: Int)
    /// The newest message of each of these subjects, which may have wildcards.
    case newest([String], batch: Int)

    var request: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .following(let sequence, let batch, let bytes):
                writer.member("seq", Int(sequence))
                writer.member("batch", batch)
                writer.member("max_bytes", bytes)
            case .newest(let subjects, let batch):
                writer.name("multi_last")
                writer.array { writer in for subject in subjects { writer.string(subject) } }
                writer.member("batch", batch)
            }
        }
        return writer.bytes
    }
}

/// A message as a stream keeps it.
struct StreamMessage: Sendable {
    let sequence: Int64
    let subject: String
    let message: NatsMessage

    /// Nil unless it is the answer to a direct get, or what a stream told of a message.
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
struct DirectGetAnswers {
    enum Outcome: Sendable {
        /// In the order of the stream.
        case messages([StreamMessage])
        case lost
    }

    private var messages: [StreamMessage] = []

    /// Nil until the last one has come.
    mutating func receive(_ answer: NatsConnection.Answer) -> Outcome? {
        guard case .message(let message) = answer else { return .lost }
        switch message.status {
        case nil:
            guard let found = StreamMessage(message) else { return .lost }
            messages.append(found)
            return nil
        // The end of the answers.
        case 204: return .messages(messages)
        // None was found.
        case 404: return .messages([])
        default: return .lost
        }
    }
}
