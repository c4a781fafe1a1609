import Base

/// What JetStream answered to a request to change or describe something.
enum JetStreamAnswer: Sendable {
    case done(JSONDocument)
    case refused(code: Int, error: Int)
    /// Nobody leads the stream now, or nobody has it: nothing was done.
    case noResponder
    /// It may have been done.
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
    /// There is one of that name with other settings.
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
    /// It is on the disks of the majority.
    case stored(sequence: Int64)
    /// A message of that name is stored already.
    case repeated(sequence: Int64)
    /// The stream or the subject has gone on since the expected sequence: nothing was stored.
    case outdated
    /// The whole batch, or a message of that name, is stored already.
    case repeatedBatch
    /// The stream has no room, or does not take such a message: nothing was stored.
    case refused(error: Int)
    /// Neither yes nor no.
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
