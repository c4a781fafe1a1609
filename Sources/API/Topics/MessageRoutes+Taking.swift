import Base
import Delivery
import HTTP
import Mailbox
import PushService
import Topics

/// `POST /api/v1/messages`: what another server has kept comes into the history of a topic.
extension MessageRoutes {
    static let path = "/api/v1/messages"
    /// A file of the largest size in base64, with its message.
    static let bodyLimit = Publication.uploadLimit / 3 * 4 + 2 << 20

    /// Answers with what became of each message, in their order.
    func take(_ body: [UInt8], _ caller: APICaller, _ reply: @escaping (APIResult) -> Void) {
        let batch: MessageBatch
        do throws(RegistrationTerms.Fault) { batch = try MessageBatch(body) } catch {
            return reply(.failure(.badBody(error.message)))
        }
        registrations.find(batch.topic, caller, reply) { [self] registration, _ in
            guard registration.terms.isOnlyShown else {
                return reply(.failure(.badBody("registration is no topic")))
            }
            MessageTaking(batch, registration, self, reply).begin()
        }
    }
}

/// A request to take messages over.
struct MessageBatch: Confidential {
    fileprivate static let most = 500

    fileprivate let topic: RegistrationID?
    fileprivate let isTrial: Bool
    /// Nil for what is no message.
    fileprivate let messages: [ImportedMessage?]

    init(_ body: [UInt8]) throws(RegistrationTerms.Fault) {
        let object = try RegistrationRequestBody.object(body)
        var members = try RegistrationMembers(object)
        guard let id = try members.text("registration") else {
            throw RegistrationTerms.Fault("registration is missing")
        }
        topic = RegistrationID(text: id)
        isTrial = try members.flag("dry_run") ?? false
        guard let list = object["messages"], list.kind == .array else {
            throw RegistrationTerms.Fault("messages must be a list")
        }
        let elements = list.elements
        guard elements.count <= Self.most else {
            throw RegistrationTerms.Fault("messages has more than \(Self.most)")
        }
        messages = elements.map { ImportedMessage($0) }
    }
}

/// Puts the files of a batch on the disk, one after the other, and then stores its messages. A file of
/// which the message is not taken is not written.
private final class MessageTaking {
    private let batch: MessageBatch
    private let registration: Registration
    private let routes: MessageRoutes
    private let reply: (APIResult) -> Void
    private let lifetime: UInt32
    private var uploads: [Int: KeptUpload] = [:]
    /// Those that a trial takes, by their places in the batch.
    private var taken: Set<Int> = []

    init(
        _ batch: MessageBatch, _ registration: Registration, _ routes: MessageRoutes,
        _ reply: @escaping (APIResult) -> Void
    ) {
        (self.batch, self.registration, self.routes) = (batch, registration, routes)
        self.reply = reply
        lifetime = routes.service.historyLifetime(of: registration)
    }

    func begin() {
        guard !batch.isTrial, batch.messages.contains(where: { $0?.upload != nil }) else {
            return submit(isTrial: batch.isTrial) { self.answer($0, $1) }
        }
        submit(isTrial: true) { [self] fates, _ in
            let indices = batch.messages.indices.filter { batch.messages[$0] != nil }
            for (index, fate) in zip(indices, fates) where fate == .taken { taken.insert(index) }
            keepFiles(from: 0)
        }
    }

    /// A message whose file cannot be kept comes without it.
    private func keepFiles(from start: Int) {
        let next = (start..<batch.messages.count).first {
            batch.messages[$0]?.upload != nil && taken.contains($0)
        }
        guard let next, let message = batch.messages[next], let upload = message.upload else {
            return submit(isTrial: false) { self.answer($0, $1) }
        }
        let entry = RegistrationCache.Entry(registration)
        routes.files.keep(upload, message.message.content.attachment, at: entry) { kept in
            if case .success(let kept) = kept { self.uploads[next] = kept }
            self.keepFiles(from: next + 1)
        }
    }

    private func submit(
        isTrial: Bool, then: @escaping ([TakenPost], GrowthLimits.Room) -> Void
    ) {
        let address = Address(
            subscription: registration.target.subscription, device: registration.device)
        let posts = batch.messages.indices.compactMap(post)
        let operation = RegistrationOperation.take(posts, address, isTrial: isTrial)
        routes.registrations.dialogue.submit(.registration(operation)) { [self] outcome in
            switch outcome {
            case .registration(.taken(let fates, let room)): then(fates, room)
            case .notFound: reply(.failure(.unknown))
            default: reply(.failure(.unavailable))
            }
        }
    }

    private func post(_ index: Int) -> TopicPost? {
        guard let imported = batch.messages[index] else { return nil }
        var message = imported.message
        message.expires = message.time + Int64(lifetime)
        if imported.upload != nil {
            message.content.attachment = uploads[index]?.attachment(of: message, lifetime)
        }
        return TopicPost(message, keptFor: lifetime, with: uploads[index]?.file)
    }

    private func answer(_ fates: [TakenPost], _ room: GrowthLimits.Room) {
        var fates = fates[...]
        let results = batch.messages.enumerated().map { index, message in
            message.flatMap { word($0, fates.popFirst(), index) } ?? "unreadable"
        }
        let body = JSONWriter.object { writer in
            writer.name("results")
            writer.array { writer in results.forEach { writer.string($0) } }
            writer.name("room")
            writer.object { writer in
                writer.member("messages", room.count)
                writer.member("bytes", room.bytes)
            }
        }
        reply(.success((200, body)))
    }

    private func word(_ message: ImportedMessage, _ fate: TakenPost?, _ index: Int) -> String? {
        let isWhole = message.upload == nil || uploads[index] != nil || batch.isTrial
        return fate == .taken && !isWhole ? "without-file" : fate?.rawValue
    }
}
