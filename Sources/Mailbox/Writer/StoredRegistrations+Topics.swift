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
        guard outcome.isStored, [.delete, .clear].contains(post.message.kind) else {
            return outcome
        }
        try withdraw([ShownSequence(post.message.sequence, in: device)])
        return outcome
    }

    /// Takes what has these sequences off the screen.
    private func withdraw(_ sequences: [ShownSequence]) throws(StoreFault) {
        for sequence in sequences {
            guard let registration = try transaction.registration(sequence.device) else { continue }
            try engines.withdraw([sequence.name], of: registration)
        }
    }

    /// What leaves the history of a topic leaves the screen, unless it shows a later state.
    func erase(_ erasure: TopicErasure) throws(StoreFault) -> StoreOutcome {
        let (outcome, gone) = try topics.erase(erasure)
        try forgetWords(of: gone)
        try withdraw(gone.filter(\.isLatest).map(\.shown))
        return outcome
    }

    func perform(_ mark: OwnerMark) throws(StoreFault) -> StoreOutcome {
        var outcome = StoreOutcome.notFound
        // Of several states of one thing the oldest says what is meant of all.
        var marked: Set<String> = []
        let found = try topics.sequences(at: mark.positions, of: mark.devices)
        for (shown, key) in found.sorted(by: { $0.key < $1.key })
        where marked.insert(shown.name).inserted {
            let marked = try perform(mark.kind, shown, at: key)
            if outcome != .done { outcome = marked.isStored ? .done : marked }
        }
        return outcome
    }

    private func perform(
        _ mark: OwnerMark.Kind, _ shown: ShownSequence, at key: Int64
    ) throws(StoreFault) -> StoreOutcome {
        switch mark {
        case .read: return try close(shown)
        case .unread: return try topics.reopen(shown, at: key)
        case .deleted:
            guard let event = try topics.event(.delete, shown) else { return .notFound }
            return try add(event, to: shown.device, nil)
        }
    }

    /// Screens that keep what others have closed keep this as well.
    private func close(_ shown: ShownSequence) throws(StoreFault) -> StoreOutcome {
        guard try !topics.isClosed(shown) else { return .done }
        guard let event = try topics.event(.dismissal, shown),
            let registration = try transaction.registration(shown.device)
        else { return .notFound }
        if registration.terms.topic.dismissal == .everywhere {
            try engines.withdraw([shown.name], of: registration)
        }
        return try topics.add(event, to: shown.device)
    }

    /// Takes back what a push showed, also one that does not wait. A history forgets what it said.
    func withdraw(_ location: LocationID) throws(StoreFault) {
        let (device, id) = try origin(of: location)
        guard let registration = try transaction.registration(device) else { return }
        var names = [StoredMessages.pushName(at: location)]
        if try topics.answer(for: device) == .done {
            switch try topics.find(id, in: device) {
            case .latest(let sequence):
                let event = try topics.event(.delete, ShownSequence(sequence, in: device))
                if let event { _ = try add(event, to: device, nil) }
            case .former(let found):
                try forgetWords(of: try topics.states(of: [found]))
                try topics.erase([found])
            case .unknown: names.append(ShownSequence(id.text, in: device).name)
            }
        }
        try engines.withdraw(names, of: registration)
    }

    /// Somebody has closed what a topic showed. Its owner's readers are told, as others are of a clear
    /// event.
    func dismiss(_ name: String, by engine: UInt32) throws(StoreFault) {
        guard let sequence = ShownSequence(name: name),
            try engines.engine(ofDevice: sequence.device) == engine,
            let event = try topics.event(.dismissal, sequence)
        else { return }
        _ = try topics.add(event, to: sequence.device)
    }

    private func origin(
        of location: LocationID
    ) throws(StoreFault) -> (device: UInt32, id: TopicMessageID) {
        do throws(OpenSSLError) {
            var mint = try EndpointMint(key: transaction.keys.endpoint)
            return (try mint.device(of: location), try mint.message(at: location))
        } catch { throw .crypto(error) }
    }
}
