import Base
import Crypto
import SQLite
import WebPush

/// What the operations of registrations do within the transaction.
extension BatchExecutor {
    private static let settledAtOnce = 64

    func perform(_ operation: RegistrationOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .create(let registration, let subscription, let credential, let answer):
            if let answer, let former = try outcome(of: answer) { return former }
            let outcome = try create(registration, subscription, credential)
            if let answer, outcome == .done { try keep(answer) }
            return outcome
        case .change(let registration, let revision, let subscription):
            return try change(registration, from: revision, adding: subscription)
        case .end(let device):
            let isThere = try rows { () throws(SQLiteError) in
                try RegistrationRows.find(device: device, on: database.connection, &sealer)
            }
            if case .none = isThere { return .notFound }
            return try removeDevice(device) ? .done : .notFound
        case .receive(let message, let mark): return try receive(message, mark)
        case .count(let device, let reason):
            let isThere = try rows { () throws(SQLiteError) in
                try database.receivers.count(reason, device: device)
            }
            return isThere ? .done : .notFound
        case .signal(let signal, let address): return try take(signal, address)
        case .fetch(let device): return try fetch(device)
        }
    }

    private func create(
        _ registration: Registration, _ subscription: Subscription, _ credential: UInt32?
    ) throws(StoreFault) -> StoreOutcome {
        guard index.endpoints[subscription.digest] == nil else { return .conflict }
        // The endpoint's hash is no hash of a name by which anybody could say hello.
        let device = Device(
            row: registration.device, userAgent: subscription.digest, credential: credential,
            created: registration.created)
        let sealed = try seal(registration)
        let owner = try rows { () throws(SQLiteError) in
            let owner = try database.insert(device, owner: registration.owner)
            guard let owner else { return owner }
            try RegistrationRows.insert(registration, sealed: sealed, on: database.connection)
            return owner
        }
        guard let owner else { return .notFound }
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

    private func change(
        _ registration: Registration, from revision: Int64, adding subscription: Subscription?
    ) throws(StoreFault) -> StoreOutcome {
        var registration = registration
        let now = time.now
        // A rotation may end endpoints at once.
        guard let ended = registration.settle(at: now) else { return .notFound }
        let sealed = try seal(registration)
        let isChanged = try rows { () throws(SQLiteError) in
            try RegistrationRows.update(
                registration, from: revision, sealed: sealed, on: database.connection)
        }
        guard isChanged else { return .conflict }
        if let subscription { try add(subscription) }
        for subscription in ended { _ = try unregister(subscription, keepingMessages: true) }
        effects.changes.append(.registration(device: registration.device))
        wake(at: registration.due)
        return .done
    }

    private func receive(
        _ message: Message, _ mark: ReplayMark?
    ) throws(StoreFault) -> StoreOutcome {
        if let mark {
            let end = time.now.adding(seconds: ReplayMark.lifetime)
            let isNew = try rows { () throws(SQLiteError) in
                try database.receivers.insert(mark, until: end)
            }
            wake(at: end)
            guard isNew else {
                if message.needsStore { effects.unused.append(message) }
                return .done
            }
        }
        return message.needsStore ? try store(message) : .done
    }

    private func take(
        _ signal: FetchSignal, _ address: Address
    ) throws(StoreFault) -> StoreOutcome {
        let now = time.now
        return try rows { () throws(SQLiteError) in
            guard try database.has(subscription: address.subscription) else { return .notFound }
            var signals = try FetchSignalRows.load(
                device: address.device, on: database.connection)
            signals.expire(at: now)
            signals.arrived(signal)
            try FetchSignalRows.save(
                signals, device: address.device, on: database.connection)
            return .done
        }
    }

    private func fetch(_ device: UInt32) throws(StoreFault) -> StoreOutcome {
        let now = time.now
        let waiting = try rows { () throws(SQLiteError) in
            var draft = PageDraft(request: PageRequest(device: device), through: position)
            let select = try Statement(
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
            return Waiting(messages: draft.page(isLast: true).messages, signals: signals)
        }
        for message in waiting.messages {
            effects.ended += try rows { () throws(SQLiteError) in
                try database.messages.delete(message.reference)
            }
        }
        return .registration(.fetched(waiting))
    }

    func seal(_ registration: Registration) throws(StoreFault) -> [UInt8] {
        let record = registration.record()
        do throws(OpenSSLError) {
            return try sealer.seal(
                record.span, at: RegistrationRows.place(registration.device))
        } catch { throw .crypto(error) }
    }

    private func wake(at time: StoreTime) { nextExpiry = min(nextExpiry ?? time, time) }
}

/// Answers that are given again.
extension BatchExecutor {
    private static let answerTable: StaticString = "kept_answer"
    private static let answerColumn: StaticString = "sealed"

    /// What a request that came before gets; nil for one that is new.
    private func outcome(of answer: KeptAnswer) throws(StoreFault) -> StoreOutcome? {
        let now = time.now
        return try rows { () throws(SQLiteError) in
            let select = try Statement(
                "SELECT row, body, sealed FROM kept_answer WHERE request = ?1 AND expires > ?2",
                on: database.connection)
            try select.bind(answer.request.bytes, at: 1)
            try select.bind(now.milliseconds, at: 2)
            guard try select.step() else { return nil }
            guard select.bytes(1) == answer.body.bytes else {
                return .registration(.otherRequest)
            }
            let place = Sealer.Place(
                table: Self.answerTable, row: select.integer(0), column: Self.answerColumn)
            let sealed = select.bytes(2)
            guard let former = try? sealer.open(sealed.span, at: place) else {
                return .unavailable
            }
            return .registration(.answered(former.withSpan { $0.array($0.indices) }))
        }
    }

    private func keep(_ answer: KeptAnswer) throws(StoreFault) {
        let end = time.now.adding(seconds: KeptAnswer.lifetime)
        let row = try rows { () throws(SQLiteError) in
            // One that has run out may still be there.
            let delete = try Statement(
                "DELETE FROM kept_answer WHERE request = ?1", on: database.connection)
            try delete.bind(answer.request.bytes, at: 1)
            try delete.run()
            return try database.connection.integer(
                "SELECT coalesce(max(row), 0) + 1 FROM kept_answer")
        }
        let sealed: [UInt8]
        let bytes = answer.answer
        do throws(OpenSSLError) {
            sealed = try sealer.seal(
                bytes.span,
                at: Sealer.Place(table: Self.answerTable, row: row, column: Self.answerColumn))
        } catch { throw .crypto(error) }
        try rows { () throws(SQLiteError) in
            let insert = try Statement(
                "INSERT INTO kept_answer VALUES (?1, ?2, ?3, ?4, ?5)", on: database.connection)
            try insert.bind(row, at: 1)
            try insert.bind(answer.request.bytes, at: 2)
            try insert.bind(answer.body.bytes, at: 3)
            try insert.bind(end.milliseconds, at: 4)
            try insert.bind(sealed, at: 5)
            try insert.run()
        }
        wake(at: end)
    }
}

/// What time does to registrations.
extension BatchExecutor {
    /// True if there may be more to do.
    func settleRegistrations(at now: StoreTime) throws(StoreFault) -> Bool {
        let found = try rows { () throws(SQLiteError) in
            try RegistrationRows.due(
                at: now, limit: Self.settledAtOnce, on: database.connection, &sealer)
        }
        for entry in found {
            switch entry {
            case .none: break
            case .damaged(let device):
                try rows { () throws(SQLiteError) in
                    try RegistrationRows.putOff(device, on: database.connection)
                }
            case .registration(let registration): try settle(registration, at: now)
            }
        }
        return found.count == Self.settledAtOnce
    }

    private func settle(_ registration: Registration, at now: StoreTime) throws(StoreFault) {
        var settled = registration
        guard let ended = settled.settle(at: now) else {
            _ = try removeDevice(registration.device)
            return
        }
        for subscription in ended { _ = try unregister(subscription, keepingMessages: true) }
        let sealed = try seal(settled)
        _ = try rows { () throws(SQLiteError) in
            try RegistrationRows.update(
                settled, from: registration.revision, sealed: sealed, on: database.connection)
        }
        effects.changes.append(.registration(device: settled.device))
    }

    func nextRegistrationDue() throws(SQLiteError) -> StoreTime? {
        let times = [
            try RegistrationRows.nextDue(on: database.connection),
            try ReceiverRows.nextExpiry(on: database.connection),
        ]
        return times.compactMap(\.self).min()
    }
}
