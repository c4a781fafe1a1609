import Base

/// A stream as JetStream is asked for it. libnats 3.4 has no fields for some of this, so the request
/// is written here.
struct StreamSettings {
    var name: String
    var subjects: [String]
    /// Of these, each subject keeps only the newest.
    var messagesPerSubject: Int?
    var bytes: Int?
    /// Repetitions of a message's name are recognised for so many seconds.
    var duplicates = 120
    /// Where the servers tell of each message, with its body.
    var toldAt: (source: String, destination: String)?
    /// Several messages may be stored all or none.
    var takesBatches = false
    /// Messages may say how long they are kept.
    var limitsLife = false

    init(name: String, subjects: [String]) {
        self.name = name
        self.subjects = subjects
    }

    /// A full stream refuses; dropping the oldest would break promises.
    func request(replicas: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.name("subjects")
            writer.array { writer in for subject in subjects { writer.string(subject) } }
            writer.member("retention", "limits")
            writer.member("storage", "file")
            writer.member("discard", "new")
            writer.member("num_replicas", replicas)
            writer.member("max_msgs_per_subject", messagesPerSubject ?? -1)
            writer.member("max_bytes", bytes ?? -1)
            writer.member("duplicate_window", duplicates * 1_000_000_000)
            writer.member("allow_direct", true)
            if limitsLife { writer.member("allow_msg_ttl", true) }
            if takesBatches { writer.member("allow_atomic", true) }
            if let (source, destination) = toldAt {
                writer.name("republish")
                writer.object { writer in
                    writer.member("src", source)
                    writer.member("dest", destination)
                }
            }
        }
        return writer.bytes
    }

    /// Whether a stream that is there already, as JetStream describes it, is of use as this one.
    func isMet(by found: JSONNode) -> Bool {
        guard found["subjects"]?.texts == subjects, found["storage"]?.text == "file",
            found["discard"]?.text == "new", found["retention"]?.text == "limits",
            found["allow_direct"]?.bool == true,
            found["max_msgs_per_subject"]?.integer == Int64(messagesPerSubject ?? -1),
            !limitsLife || found["allow_msg_ttl"]?.bool == true,
            !takesBatches || found["allow_atomic"]?.bool == true
        else { return false }
        guard let (source, destination) = toldAt else { return true }
        return found["republish"]?["src"]?.text == source
            && found["republish"]?["dest"]?.text == destination
            && found["republish"]?["headers_only"]?.bool != true
    }
}

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

/// What JetStream answered to a request to change or describe something.
enum JetStreamAnswer: Sendable {
    case done(JSONDocument)
    case refused(code: Int, error: Int)
    /// No server leads the stream now, or none has it: nothing was done.
    case noResponder
    /// There was no answer. The request may have been carried out.
    case lost

    init(_ answer: NatsConnection.Answer) {
        guard case .message(let message) = answer else {
            self = .lost
            return
        }
        if message.status == 503 {
            self = .noResponder
        } else if let document = try? JSONDocument(message.body) {
            self.init(document)
        } else {
            self = .lost
        }
    }

    private init(_ document: JSONDocument) {
        guard let error = document.root["error"] else {
            self = .done(document)
            return
        }
        self = .refused(
            code: Int(error["code"]?.integer ?? 0), error: Int(error["err_code"]?.integer ?? 0))
    }
}

/// Errors of JetStream that mean something to us.
enum JetStreamError {
    /// The stream is not there.
    static let noStream = 10059
    /// There is a stream of that name with other settings.
    static let otherStream = 10058
    /// The account may not use JetStream, or no server has it.
    static let notEnabled = [10035, 10039, 10076]
    /// Copies need a cluster.
    static let noCluster = 10074
    /// The servers have not agreed yet on who leads them.
    static let busy = 10008
    /// Too few servers have room for a copy.
    static let tooFewServers = [10005, 10023, 10047]
    /// The last sequence, of the stream or of the subject, is not the expected one.
    static let wrongSequence = [10071, 10164]
    /// The same message is being stored by another request.
    static let underWay = 10158
    /// A batch has a message whose name is stored already.
    static let repeatedBatch = 10201
}

/// What became of a message that was published to a stream.
enum PublishAnswer: Equatable, Sendable {
    /// The message is on the disks of the majority.
    case stored(sequence: Int64)
    /// A message of that name is stored already.
    case repeated(sequence: Int64)
    /// The stream or the subject has gone on since the expected sequence: nothing was stored.
    case outdated
    /// The whole batch, or a message of that name, is stored already.
    case repeatedBatch
    /// The stream has no room, or does not take such a message: nothing was stored.
    case refused(error: Int)
    /// It is unknown whether the message was stored.
    case unknown

    init(_ answer: NatsConnection.Answer) {
        switch JetStreamAnswer(answer) {
        case .done(let document):
            guard let sequence = document.root["seq"]?.integer else {
                self = .unknown
                return
            }
            self =
                document.root["duplicate"]?.bool == true
                ? .repeated(sequence: sequence) : .stored(sequence: sequence)
        case .refused(_, let error) where JetStreamError.wrongSequence.contains(error):
            self = .outdated
        case .refused(_, JetStreamError.repeatedBatch): self = .repeatedBatch
        case .refused(_, JetStreamError.underWay), .lost: self = .unknown
        // Without a leader nothing can have been stored, but the request may have met an old one.
        case .noResponder: self = .unknown
        case .refused(_, let error): self = .refused(error: error)
        }
    }
}
