import Base
import Crypto
import SQLite
import WebPush

/// What the operations of registrations do within the transaction.
extension BatchExecutor {
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
            let isThere = try RegistrationRows.find(
                device: device, on: database.connection, &sealer)
            if case .none = isThere { return .notFound }
            return try removeDevice(device) ? .done : .notFound
        case .receive(let message, let mark, let push):
            return try receive(message, mark, push)
        case .count(let device, let reason):
            let isThere = try database.receivers.count(reason, device: device)
            return isThere ? .done : .notFound
        case .signal(let signal, let address): return try take(signal, address)
        case .fetch(let device): return try fetch(device)
        }
    }

    /// Nil if there is room for another registration. Callbacks of those that have ended count until
    /// they were told of it.
    private func refusal(
        of registration: Registration, isKept: Bool, limit: Int?
    ) throws(StoreFault) -> StoreOutcome? {
        let (owner, growth) = (limit == nil ? nil : registration.owner, limits.growth)
        func hasRoom(
            _ kind: ShareKind, _ own: GrowthLimits.Room, _ all: GrowthLimits.Room
        ) throws(StoreFault) -> Bool {
            try database.hasRoom(for: kind, of: owner, within: own, all)
        }
        let own = GrowthLimits.Room(count: limit ?? .max, bytes: growth.registrationBytes)
        guard try hasRoom(.registration, own, growth.allRegistrations) else {
            return .registration(.tooMany)
        }
        if registration.terms.callback != nil,
            try !hasRoom(.callback, growth.callbacks, growth.allCallbacks)
        {
            return .registration(.tooMany)
        }
        if isKept, try !hasRoom(.answer, growth.answers, growth.allAnswers) { return .full }
        return nil
    }

    private func create(
        _ registration: Registration, _ subscription: Subscription, _ credential: UInt32?
    ) throws(StoreFault) -> StoreOutcome {
        let last = max(registration.device, subscription.address.subscription)
        guard last <= StoreIndex.lastRow else { return .full }
        guard index.endpoints[subscription.digest] == nil else { return .conflict }
        // The endpoint's hash is no hash of a name by which anybody could say hello.
        let device = Device(
            row: registration.device, userAgent: subscription.digest, credential: credential,
            created: registration.created)
        let sealed = try seal(registration)
        let owner = try database.insert(device, owner: registration.owner)
        guard let owner else { return .notFound }
        let engine = try engine(for: registration)
        try RegistrationRows.insert(
            registration, engine, sealed: sealed, on: database.connection)
        engines[engine]?.members?.add(registration)
        if registration.terms.presentation != nil {
            try tellConsent(of: engine)
            try present(engine)
        }
        if registration.terms.service != nil { effects.changes.append(.engines) }
        effects.changes.append(.device(device, owner: owner))
        wake(at: registration.due)
        try add(subscription)
        return .done
    }

    private func add(_ subscription: Subscription) throws(StoreFault) {
        // It cannot be left out alone, so the transaction fails as a whole.
        guard try register(subscription) == .done else {
            throw .damaged("an endpoint could not be added")
        }
    }

    func change(
        _ registration: Registration, from revision: Int64, adding subscription: Subscription?
    ) throws(StoreFault) -> StoreOutcome {
        let last = subscription?.address.subscription ?? 0
        guard last <= StoreIndex.lastRow else { return .full }
        var registration = registration
        let now = time.now
        let former = try self.registration(registration.device)
        let isSeen = former.map { $0.presence != registration.presence } ?? false
        // A rotation may end endpoints at once.
        guard let settlement = registration.settle(at: now) else { return .notFound }
        let sealed = try seal(registration)
        let isChanged = try RegistrationRows.update(
            registration, from: revision, sealed: sealed, on: database.connection)
        guard isChanged else { return .conflict }
        if let former, former.isPaused != registration.isPaused {
            try setPaused(registration.isPaused, engine: registration.engine)
        }
        if let subscription { try add(subscription) }
        if isSeen { try tellPresence(of: registration) }
        try carryOut(settlement, of: registration, at: now)
        wake(at: registration.due)
        return .done
    }

    private func take(
        _ signal: FetchSignal, _ address: Address
    ) throws(StoreFault) -> StoreOutcome {
        guard try database.has(subscription: address.subscription) else { return .notFound }
        try add(signal, device: address.device)
        guard let engine = try database.engines.engine(ofDevice: address.device) else {
            return .notFound
        }
        try handOut(device: address.device, engine)
        return .done
    }

    private func fetch(_ device: UInt32) throws(StoreFault) -> StoreOutcome {
        let now = time.now
        var draft = PageDraft(
            request: PageRequest(device: device), through: position, besides: index.setAside)
        let select = try StoreStatement(
            """
            SELECT position, sequence, subscription, id, location, expires, sealed
            FROM message WHERE device = ?1 AND expires > ?2 ORDER BY sequence
            """, on: database.connection)
        try select.bind(Int64(device), at: 1)
        try select.bind(now.milliseconds, at: 2)
        while try select.step() { draft.add(select, unsealing: &sealer) }
        var signals = try FetchSignalRows.load(device: device, on: database.connection)
        signals.expire(at: now)
        try FetchSignalRows.save(FetchSignals(), device: device, on: database.connection)
        let messages = draft.page(isLast: true).messages
        for message in messages {
            effects.ended += try database.messages.delete(message.reference)
        }
        try noteFetched(device)
        return .registration(.fetched(Waiting(messages: messages, signals: signals)))
    }

    func seal(_ registration: Registration) throws(StoreFault) -> [UInt8] {
        let record = registration.record()
        do throws(OpenSSLError) {
            return try sealer.seal(
                record.span, at: RegistrationRows.place(registration.device))
        } catch { throw .crypto(error) }
    }

    func wake(at time: StoreTime) { nextExpiry = min(nextExpiry ?? time, time) }
}
