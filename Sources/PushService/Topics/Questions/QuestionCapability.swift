import Base
import Crypto
import Mailbox
import Topics

/// The right to give one answer to one question, once, in the name of one reader: whoever has it
/// needs no credential. Streams offer it to readers who may answer.
///
/// A question takes one answer, so the right ends with it. The reader's own right is looked at
/// again when it is used.
struct QuestionCapability: Equatable, Confidential {
    /// The row of the reader's credential.
    let credential: UInt32
    /// The place of the answer in the question.
    let answer: Int
    fileprivate let mark: [UInt8]

    private static let markLength = 16

    fileprivate init(credential: UInt32, answer: Int, mark: [UInt8]) {
        (self.credential, self.answer, self.mark) = (credential, answer, mark)
    }

    /// Nil for what is none.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8).span),
            bytes.count == 5 + Self.markLength
        else { return nil }
        credential = bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        answer = Int(bytes[4])
        mark = Array(bytes[5...])
    }

    var text: String {
        var bytes: [UInt8] = []
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: credential >> shift)) }
        bytes.append(UInt8(clamping: answer))
        return Base64URL.text((bytes + mark).span)
    }
}

extension TopicNamer {
    /// The right of a reader to give this answer to the question with this id and number.
    mutating func capability(
        of question: TopicMessageID, _ number: UInt64, answer: Int, for credential: UInt32
    ) throws(OpenSSLError) -> QuestionCapability {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: question.number ?? 0)
        bytes.append(bigEndian: number)
        bytes.append(bigEndian: UInt64(credential))
        bytes.append(UInt8(clamping: answer))
        let mark = try capabilityMark(of: bytes).bytes.prefix(16)
        return QuestionCapability(credential: credential, answer: answer, mark: Array(mark))
    }
}

extension TopicDoor {
    /// Whether this server has made it for this question.
    func isGenuine(_ capability: QuestionCapability, of question: Question) -> Bool {
        let made = try? capabilities.capability(
            of: question.id, question.asked.number, answer: capability.answer,
            for: capability.credential)
        guard let made else { return false }
        return zip(made.mark, capability.mark).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}

extension TopicDoor {
    /// The message with a request for each answer, which its reader's program can send without a
    /// credential; nil for one that asks nothing.
    func offer(of message: TopicMessage, to reader: UInt32) -> TopicMessage? {
        guard let question = message.content.question, !question.answers.isEmpty else { return nil }
        var offer = message
        offer.content.actions = []
        for (place, answer) in question.answers.enumerated() {
            let capability = try? capabilities.capability(
                of: message.id, question.number, answer: place, for: reader)
            guard let capability else { return nil }
            var action = TopicAction()
            action.kind = .http
            action.id = "\(place)" + message.id.text.suffix(TopicAction.idLength - 1)
            action.label = answer
            action.url = addressOfQuestions + message.id.text + "/answer"
            action.method = "POST"
            action.body = String(
                decoding: JSONWriter.object { $0.member("capability", capability.text) },
                as: UTF8.self)
            action.clears = true
            offer.content.actions.append(action)
        }
        return offer
    }

    private var addressOfQuestions: String {
        "\(service.settings.baseURL)" + QuestionDesk.start
    }
}

extension DeviceCredential {
    /// Whether its bearer may answer questions at this topic now.
    func mayAnswer(at topic: Registration, now: Int64) -> Bool {
        guard owner == topic.owner, isConfirmed else { return false }
        guard let terms = token?.terms else { return !isReceiveOnly }
        guard !terms.isOver(at: now), let name = topic.terms.topicName else { return false }
        return TopicCaller.token(terms).allows(.answer) && terms.pattern.matches(name)
    }
}
