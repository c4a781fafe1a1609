import Base
import Crypto
import Delivery
package import Mailbox
import System
package import Topics
import WebPush

/// Makes a question of what somebody asks, with the message that shows it.
package struct QuestionDraft: ~Copyable {
    private static let label = "Show the question"
    /// In seconds. Nothing waits for it but a screen that is not there.
    private static let ttl: UInt32 = 86_400

    private let service: ServiceState
    private var random = RandomSupply()

    package init(_ service: ServiceState) { self.service = service }

    /// What a publication asks. `asker`: the row of a credential; 0 for the owner.
    package mutating func operation(
        _ wish: QuestionWish, _ publication: Publication, with file: KeptUpload? = nil,
        at registration: Registration, by asker: UInt32
    ) throws(NtfyRefusal) -> QuestionOperation {
        let lifetime = publication.isKept ? service.historyLifetime(of: registration) : 0
        var message = publication.message(
            TopicMessageID(number: try word()), now: now, keptFor: lifetime)
        message.content.attachment =
            file?.attachment(of: message, lifetime) ?? message.content.attachment
        var asked = wish.question
        asked.number = try word()
        message.content.question = asked
        var link = TopicAction()
        link.id = String(message.id.text.suffix(TopicAction.idLength))
        link.label = Self.label
        link.url = "\(service.settings.baseURL)" + QuestionDesk.path(of: message.id)
        message.content.actions = [link]
        let question = Question(
            message, at: registration.device, by: asker, until: now + Int64(wish.lifetime),
            keptFor: lifetime)
        guard let question else { throw .failed }
        let post = TopicPost(message, keptFor: lifetime, with: file?.file)
        let due = service.store.clock.now.adding(seconds: wish.lifetime)
        return .ask(
            AskedQuestion(question, post, key: wish.key, until: due),
            try shown(message, at: registration), registration.enginePush.ofTopic)
    }

    private var now: Int64 { Int64(service.now()) }

    private mutating func word() throws(NtfyRefusal) -> UInt64 {
        do throws(OpenSSLError) { return try random.word() } catch { throw .failed }
    }

    private mutating func shown(
        _ message: TopicMessage, at registration: Registration
    ) throws(NtfyRefusal) -> Message {
        let address = TopicIntake.address(of: registration)
        let content = MessageContent(
            body: message.plainPayload, urgency: .normal, ttl: Self.ttl)
        var reservation = Reservation()
        guard service.index.reserve(content, for: address, in: &reservation) else {
            throw .tooManyRequests
        }
        do throws(OpenSSLError) {
            return Message(
                id: try MessageID(from: &random), location: try LocationID(from: &random),
                address: address, sequence: service.index.nextSequence(), content: content,
                level: .clear, arrival: Int64(service.now() * 1_000),
                expiry: service.store.clock.now.adding(seconds: content.ttl),
                reservation: reservation)
        } catch { throw .failed }
    }
}
