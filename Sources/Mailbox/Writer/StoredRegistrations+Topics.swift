import Base
import Crypto
import Delivery
import Topics
import WebPush

/// What comes to topics by their names, and what leaves them.
extension StoredRegistrations {
    /// Returns how many scheduled messages were due.
    func publishDue(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try topics.publishDue(at: now, limit: limit) { scheduled throws(StoreFault) in
            try publish(scheduled)
        }
    }

    private func publish(_ scheduled: ScheduledPost) throws(StoreFault) -> StoreOutcome {
        let device = scheduled.address.device
        guard scheduled.isShown else { return try topics.add(scheduled.post, to: device) }
        guard let registration = try transaction.registration(device) else { return .notFound }
        let content = MessageContent(
            body: scheduled.post.message.plainPayload, urgency: .normal, ttl: Self.scheduledTTL)
        let message = try transaction.message(content, to: scheduled.address)
        return try receive(message, nil, registration.enginePush.ofTopic, scheduled.post)
    }

    /// In seconds. Nothing waits for it but a screen that is not there.
    private static let scheduledTTL: UInt32 = 86_400

    /// Whether an account can keep what comes. It has a history from the first message on.
    func keeps(_ device: UInt32) throws(StoreFault) -> Bool {
        if try topics.answer(for: device) == .done { return true }
        guard let registration = try transaction.registration(device) else { return false }
        return try topics.begin(historyOf: registration)
    }

    /// What ends in the history of a topic also leaves the screen.
    func add(
        _ post: TopicPost, to device: UInt32, _ mark: RepetitionMark?
    ) throws(StoreFault) -> StoreOutcome {
        guard try !changesQuestion(post.message, at: device) else { return .conflict }
        let outcome = try topics.add(post, to: device)
        if outcome.isStored, let mark {
            let owner = transaction.index.owner(ofDevice: device)
            transaction.effects.marks.append(OwnedMark(mark: mark, owner: owner))
        }
        guard outcome.isStored, [.delete, .clear].contains(post.message.kind),
            let registration = try transaction.registration(device),
            let name = try name(ofSequence: post.message.sequence, in: device)
        else { return outcome }
        try engines.withdraw([name], of: registration)
        return outcome
    }

    /// Takes back what a push showed that does not wait.
    func withdraw(_ location: LocationID) throws(StoreFault) {
        let (device, id) = try origin(of: location)
        guard let registration = try transaction.registration(device) else { return }
        let name = try name(ofSequence: id.text, in: device)
        try engines.withdraw(
            [StoredMessages.pushName(at: location)] + (name.map { [$0] } ?? []), of: registration)
    }

    private func origin(
        of location: LocationID
    ) throws(StoreFault) -> (device: UInt32, id: TopicMessageID) {
        do throws(OpenSSLError) {
            var mint = try EndpointMint(key: transaction.keys.endpoint)
            return (try mint.device(of: location), try mint.message(at: location))
        } catch { throw .crypto(error) }
    }

    /// The name of what the screen shows of a sequence; nil for an owner without topics.
    func name(
        ofSequence sequence: String, in device: UInt32
    ) throws(StoreFault) -> String? {
        try topics.digest(of: sequence, in: device).map { "sequence:" + Base64URL.text($0.span) }
    }
}
