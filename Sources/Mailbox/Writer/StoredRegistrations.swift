import Base
import Crypto
import Delivery
import Topics
import WebPush

/// Registrations: what applications request, and what time changes. Only the writer's thread uses
/// it.
final class StoredRegistrations {
    let transaction: Transaction
    let devices: StoredDevices
    let messages: StoredMessages
    let callbacks: StoredCallbacks
    let forwards: StoredForwards
    let engines: StoredEngines
    let topics: StoredTopics
    let rows: ReceiverRows

    init(
        _ transaction: Transaction, _ devices: StoredDevices, _ messages: StoredMessages,
        _ callbacks: StoredCallbacks, _ forwards: StoredForwards, _ engines: StoredEngines,
        _ topics: StoredTopics
    ) throws(StoreFault) {
        rows = try ReceiverRows(on: transaction.connection)
        self.transaction = transaction
        self.devices = devices
        self.messages = messages
        self.callbacks = callbacks
        self.forwards = forwards
        self.engines = engines
        self.topics = topics
    }

    func perform(_ operation: RegistrationOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .create(let registration, let subscription, let credential, let limit, let answer):
            if let answer, let former = try outcome(of: answer) { return former }
            let refusal = try refusal(of: registration, isKept: answer != nil, limit: limit)
            if let refusal { return refusal }
            let outcome = try create(registration, subscription, credential)
            if let answer, outcome == .done { try keep(answer, of: registration.owner) }
            return outcome
        case .change(let registration, let revision, let subscription):
            return try change(registration, from: revision, adding: subscription)
        case .end(let device):
            if case .none = try transaction.find(device) { return .notFound }
            return try remove(device: device) ? .done : .notFound
        case .receive(let message, let mark, let push, let post):
            return try receive(message, mark, push, post)
        case .post(let post, let address, let mark):
            return try add(post, to: address.device, mark)
        case .schedule(let scheduled):
            let message = scheduled.post.message
            guard try !changesQuestion(message, at: scheduled.address.device) else {
                return .conflict
            }
            return try topics.schedule(scheduled)
        case .take(let posts, let address, let isTrial):
            return try topics.take(posts, to: address, isTrial: isTrial)
        case .erase(let erasure): return try erase(erasure)
        case .mark(let mark): return try perform(mark)
        case .setPicture(let picture, let device): return try topics.set(picture, of: device)
        case .count(let device, let reason):
            return try rows.count(reason, device: device) ? .done : .notFound
        case .signal(let signal, let address):
            return try engines.receive(signal, address)
        case .fetch(let device): return try fetch(device)
        case .question(let operation): return try perform(operation)
        }
    }

    /// If the push could not be understood, or was not allowed to change what arrived with better
    /// protection, that is counted for the owner, next to the pushes that nobody could decrypt.
    func receive(
        _ message: Message, _ mark: ReplayMark?, _ push: EnginePush, _ post: TopicPost?
    ) throws(StoreFault) -> StoreOutcome {
        var origin = StoredEngines.Origin()
        var isKept = true
        if let post, post.isOfAccount {
            // Without a history it is shown all the same.
            isKept = try keeps(message.address.device)
        } else if let post {
            guard try !changesQuestion(post.message, at: message.address.device) else {
                return .conflict
            }
            let answer = try topics.answer(for: message.address.device)
            guard answer == .done else { return answer }
            origin.name = ShownSequence(post.message.sequence, in: message.address.device).name
            origin.picture = post.message.pictureName
        }
        var (outcome, lack) = try engines.receive(message, mark, push, from: origin)
        if let post, isKept, outcome == .done || outcome.isStored {
            outcome = try topics.add(post, to: message.address.device)
            if case .stored(let position) = outcome, !post.isOfAccount {
                try forwards.add(post, to: message.address.device, at: position)
            }
        }
        guard let lack else { return outcome }
        _ = try rows.count(lack.reason, device: message.address.device)
        return outcome == .unavailable ? outcome : .registration(lack.result)
    }

    private func fetch(_ device: UInt32) throws(StoreFault) -> StoreOutcome {
        let signals = try transaction.removeSignals(device: device)
        let messages = try messages.fetchAll(ofDevice: device)
        try engines.recordFetch(ofDevice: device)
        return .registration(.fetched(WaitingPushes(messages: messages, signals: signals)))
    }

    func seal(_ registration: Registration) throws(StoreFault) -> [UInt8] {
        try transaction.seal(
            registration.record(),
            at: RegistrationRows.place(registration.device, of: registration.owner))
    }
}

/// Creating.
extension StoredRegistrations {
    /// Nil if there is room for another registration. The callback of an ended registration counts
    /// until its last event was sent.
    private func refusal(
        of registration: Registration, isKept: Bool, limit: Int?
    ) throws(StoreFault) -> StoreOutcome? {
        let (owner, growth) = (limit == nil ? nil : registration.owner, transaction.limits.growth)
        let own = GrowthLimits.Room(count: limit ?? .max, bytes: growth.registrationBytes)
        guard
            try transaction.hasRoom(
                for: .registration, of: owner, within: own, growth.allRegistrations)
        else { return .registration(.tooMany) }
        if registration.terms.callback != nil,
            try !transaction.hasRoom(
                for: .callback, of: owner, within: growth.callbacks, growth.allCallbacks)
        {
            return .registration(.tooMany)
        }
        if isKept,
            try !transaction.hasRoom(
                for: .answer, of: owner, within: growth.answers, growth.allAnswers)
        {
            return .full
        }
        return nil
    }

    private func create(
        _ registration: Registration, _ subscription: Subscription, _ credential: UInt32?
    ) throws(StoreFault) -> StoreOutcome {
        let last = max(registration.device, subscription.address.subscription)
        guard last <= StoreIndex.lastRow else { return .full }
        guard transaction.index.endpoints[subscription.digest] == nil else { return .conflict }
        if registration.terms.isOnlyShown, let refusal = try topics.refusal(of: registration) {
            return refusal
        }
        // In place of a user agent's name the row has the endpoint's hash, so no client can connect
        // as this device.
        let device = KnownUserAgent(
            row: registration.device, userAgent: subscription.digest, credential: credential,
            created: registration.created)
        let sealed = try seal(registration)
        guard try devices.add(device, owner: registration.owner) else { return .notFound }
        let engine = try engines.engine(for: registration)
        try RegistrationRows.insert(
            registration, engine, sealed: sealed, on: transaction.connection)
        try engines.joined(registration, engine)
        if registration.terms.isOnlyShown { try topics.add(registration) }
        transaction.wake(at: registration.due)
        try add(subscription)
        return .done
    }

    func add(_ subscription: Subscription) throws(StoreFault) {
        // The subscription cannot be left out alone, so the whole transaction fails.
        guard try devices.register(subscription) == .done else {
            throw .damaged("an endpoint could not be added")
        }
    }
}

/// Ending.
extension StoredRegistrations {
    /// Removes any device with everything that belongs to it; perhaps a registration.
    func remove(device row: UInt32) throws(StoreFault) -> Bool {
        let registration = try transaction.registration(row)
        let engine = try engines.engine(ofDevice: row)
        let wasThere = try devices.remove(device: row)
        let isRegistration = try RegistrationRows.delete(row, on: transaction.connection)
        guard wasThere else { return false }
        if let engine { try engines.left(registration, engine) }
        if isRegistration {
            try topics.remove(device: row)
            try forwards.end(ofTopic: row)
            for token in try devices.tokens(ofTopic: row) { _ = try remove(credential: token) }
            transaction.effects.changes.append(.registration(device: row))
        }
        return true
    }

    func retire(device row: UInt32) throws(StoreFault) -> StoreOutcome {
        let message = try transaction.connection.statement(
            "SELECT 1 FROM message WHERE device = ?1 LIMIT 1", row)
        guard try !message.step() else { return .conflict }
        return try remove(device: row) ? .done : .notFound
    }

    /// Also removes the callbacks of registrations: no owner is left who could unregister them.
    func remove(_ devices: [UInt32]) throws(StoreFault) {
        for device in devices {
            _ = try remove(device: device)
            try callbacks.drop(device)
        }
    }

    /// With the tokens that were made with it.
    func remove(credential row: UInt32) throws(StoreFault) -> StoreOutcome {
        for token in try devices.tokens(madeWith: row) { _ = try remove(credential: token) }
        try remove(try devices.devices(underCredential: row))
        return try devices.remove(credential: row)
    }

    /// Ends tokens whose time is over. Returns how many.
    func sweepTokens(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        let tokens = try devices.expiredTokens(at: now, limit: limit)
        for token in tokens { _ = try remove(credential: token) }
        return tokens.count
    }

    func remove(owner row: UInt32) throws(StoreFault) -> StoreOutcome {
        for credential in try devices.credentials(ofOwner: row) {
            _ = try remove(credential: credential)
        }
        // Registrations made through the control socket have no credential.
        try remove(try devices.devices(ofOwner: row))
        // What those of ended registrations were still to be told belongs to the owner, too.
        for callback in try callbacks.callbacks(ofOwner: row) { try callbacks.drop(callback) }
        try transaction.connection.run(
            "DELETE FROM passkey WHERE owner = (SELECT name FROM owner WHERE row = ?1)", row)
        try topics.forget(owner: row)
        return try devices.deleteOwner(row) ? .done : .notFound
    }

    /// Also removes the answers that are kept for its owner: it is not recorded for which device.
    func forget(credential row: UInt32) throws(StoreFault) -> StoreOutcome {
        transaction.hasForgotten = true
        try devices.deleteAnswers(forOwnerOf: row)
        let outcome = try remove(credential: row)
        try topics.forgetEnded()
        return outcome
    }

    func forget(owner row: UInt32) throws(StoreFault) -> StoreOutcome {
        transaction.hasForgotten = true
        let outcome = try remove(owner: row)
        try topics.forgetEnded()
        return outcome
    }
}

/// Answers that are repeated.
extension StoredRegistrations {
    private static let answerTable: StaticString = "kept_answer"
    private static let answerColumn: StaticString = "sealed"

    private static func place(ofAnswer row: Int64, of owner: String) -> Sealer.Place {
        Sealer.Place(table: answerTable, row: row, column: answerColumn, owner: .name(owner))
    }

    /// The outcome of an earlier request with the same key; nil for a new request.
    func outcome(of answer: KeptAnswer) throws(StoreFault) -> StoreOutcome? {
        let select = try transaction.connection.statement(
            "SELECT row, body, sealed, owner FROM kept_answer WHERE request = ?1 AND expires > ?2",
            answer.request.bytes, transaction.time.now.milliseconds)
        guard try select.step() else { return nil }
        guard select.bytes(1) == answer.body.bytes else { return .registration(.otherRequest) }
        let place = Self.place(ofAnswer: select.integer(0), of: select.text(3))
        guard let former = transaction.unsealed(select.bytes(2), at: place) else {
            return .unavailable
        }
        return .registration(.answered(former))
    }

    func keep(_ answer: KeptAnswer, of owner: String) throws(StoreFault) {
        let end = transaction.time.now.adding(seconds: KeptAnswer.lifetime)
        // An expired answer may still be there.
        try transaction.connection.run(
            "DELETE FROM kept_answer WHERE request = ?1", answer.request.bytes)
        let row = try transaction.connection.number(
            "SELECT coalesce(max(row), 0) + 1 FROM kept_answer")
        let sealed = try transaction.seal(
            answer.answer, at: Self.place(ofAnswer: row, of: owner))
        try transaction.connection.run(
            "INSERT INTO kept_answer VALUES (?1, ?2, ?3, ?4, ?5, ?6, length(?5))", row,
            answer.request.bytes, answer.body.bytes, end.milliseconds, sealed, owner)
        transaction.wake(at: end)
    }

    /// Deletes some expired answers; returns how many.
    func sweepAnswers(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try rows.deleteExpired(at: now, limit: limit)
    }
}
