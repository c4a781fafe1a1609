import Crypto
import Delivery
import Mailbox
import System
import Topics
import WebPush

/// From the publication to the store.
extension TopicIntake {
    /// In seconds. Nothing waits for it but a screen that is not there.
    private static let ttl: UInt32 = 86_400

    func operation(
        _ publication: Publication, ttl: UInt32?, with file: KeptUpload?,
        to entry: RegistrationCache.Entry
    ) throws(NtfyRefusal) -> (RegistrationOperation, TopicMessage) {
        let lifetime = lifetime(of: publication, ttl: ttl, entry.registration)
        var message = publication.message(try messageID(), now: now, keptFor: lifetime)
        for index in message.content.actions.indices {
            message.content.actions[index].id = try actionID()
        }
        if let file { message.content.attachment = file.attachment(of: message, lifetime) }
        let post = TopicPost(message, keptFor: lifetime, with: file?.file)
        let address = Self.address(of: entry.registration)
        let isShown = !publication.isUnifiedPush && message.kind == .message
        if let due = publication.due {
            let wait = UInt32(clamping: due - now)
            let scheduled = ScheduledPost(
                post, to: address, at: service.store.clock.now.adding(seconds: wait),
                isShown: isShown)
            return (.schedule(scheduled), message)
        }
        guard isShown else { return (.post(post, address), message) }
        return (try operation(showing: post, to: entry), message)
    }

    /// The message is for the screen, too.
    func operation(
        showing post: TopicPost, to entry: RegistrationCache.Entry
    ) throws(NtfyRefusal) -> RegistrationOperation {
        let address = Self.address(of: entry.registration)
        let shown = try shown(post.message, at: address)
        return .receive(shown, nil, entry.push.ofTopic, post)
    }

    /// In seconds. What is for an application waits as long as its sender says, or half a day.
    func lifetime(
        of publication: Publication, ttl: UInt32?, _ registration: Registration
    ) -> UInt32 {
        guard publication.isKept else { return 0 }
        let usual = service.historyLifetime(of: registration)
        return publication.isUnifiedPush ? min(ttl ?? Self.applicationLifetime, usual) : usual
    }

    static let applicationLifetime: UInt32 = 12 * 3_600

    static func address(of registration: Registration) -> Address {
        Address(subscription: registration.target.subscription, device: registration.device)
    }

    private func actionID() throws(NtfyRefusal) -> String {
        String(try messageID().text.suffix(TopicAction.idLength))
    }

    func messageID() throws(NtfyRefusal) -> TopicMessageID {
        do throws(OpenSSLError) {
            return TopicMessageID(number: try desk.random.word())
        } catch { throw .failed }
    }

    /// The message that the engine of the topic gets.
    private func shown(
        _ message: TopicMessage, at address: Address
    ) throws(NtfyRefusal) -> Message {
        let shown = MessageContent(
            body: message.plainPayload, urgency: .normal, ttl: Self.ttl)
        var reservation = Reservation()
        guard service.index.reserve(shown, for: address, in: &reservation) else {
            throw .tooManyRequests
        }
        do throws(PushRefusal) {
            return try desk.makeMessage(shown, .clear, to: address, reservation, isShown: true)
        } catch { throw .failed }
    }

    func submit(
        _ operation: RegistrationOperation, to entry: RegistrationCache.Entry,
        then: @escaping (StoreOutcome) -> Void
    ) {
        desk.submit(
            .registration(operation),
            .other { [service] outcome in
                if Verdict(outcome) == .accepted {
                    let device = entry.registration.device
                    service.countAccepted(device)
                    service.lastPushes.note(device, at: Int64(service.now() * 1_000))
                    switch operation {
                    case .receive, .question(.ask): service.noteShown(entry.registration)
                    default: break
                    }
                }
                then(outcome)
            })
    }
}

extension NtfyRefusal {
    /// Why something was not accepted.
    init(_ outcome: StoreOutcome) {
        switch outcome {
        case .full: self = .tooManyRequests
        case .conflict: self = .openQuestion
        default: self = .failed
        }
    }
}
