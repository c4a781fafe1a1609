import Delivery
import System

/// How applications, engines and time change registrations.
extension StoredRegistrations {
    private static let settledAtOnce = 64
    /// When a registration that cannot be read, or was set aside, is tried again: by then the key
    /// or a fixed version may be there.
    private static let secondLook: UInt32 = 86_400

    func change(
        _ registration: Registration, from revision: Int64, adding subscription: Subscription?
    ) throws(StoreFault) -> StoreOutcome {
        let last = subscription?.address.subscription ?? 0
        guard last <= StoreIndex.lastRow else { return .full }
        var registration = registration
        let now = transaction.time.now
        let former = try transaction.registration(registration.device)
        let isSeen = former.map { $0.presence != registration.presence } ?? false
        // A rotation may end endpoints at once.
        guard let settlement = registration.settle(at: now) else { return .notFound }
        guard try update(registration, from: revision) else { return .conflict }
        if let former, former.isPaused != registration.isPaused {
            try engines.setPaused(registration.isPaused, engine: registration.engine)
        } else if let former, former.seen < registration.seen {
            try engines.recordActivity(registration.engine)
        }
        if let subscription { try add(subscription) }
        if isSeen { try addPresence(of: registration) }
        try carryOut(settlement, of: registration, at: now)
        transaction.wake(at: registration.due)
        return .done
    }

    func update(
        _ registration: Registration, from revision: Int64
    ) throws(StoreFault) -> Bool {
        try RegistrationRows.update(
            registration, from: revision, sealed: try seal(registration),
            on: transaction.connection)
    }

    /// True if there may be more to do.
    func settle(at now: StoreTime) throws(StoreFault) -> Bool {
        let found = try RegistrationRows.due(
            at: now, limit: Self.settledAtOnce, on: transaction.connection, &transaction.sealer)
        for entry in found {
            switch entry {
            case .none: break
            case .damaged(let device):
                try putOff(device, at: now)
            case .registration(let registration)
            where transaction.index.setAside.contains(.registration, registration.device):
                try putOff(registration.device, at: now)
            case .registration(let registration):
                try Underway.mark(.registration, registration.device) { () throws(StoreFault) in
                    try settle(registration, at: now)
                }
            }
        }
        return found.count == Self.settledAtOnce
    }

    private func putOff(_ device: UInt32, at now: StoreTime) throws(StoreFault) {
        try RegistrationRows.putOff(
            device, until: now.adding(seconds: Self.secondLook), on: transaction.connection)
    }

    private func settle(_ registration: Registration, at now: StoreTime) throws(StoreFault) {
        var settled = registration
        guard let settlement = settled.settle(at: now) else {
            return try end(registration, telling: .expired)
        }
        _ = try update(settled, from: registration.revision)
        try carryOut(settlement, of: settled, at: now)
    }

    /// Carries out what settling a registration requires.
    private func carryOut(
        _ settlement: Registration.Settlement, of registration: Registration, at now: StoreTime
    ) throws(StoreFault) {
        for subscription in settlement.ended {
            _ = try devices.unregister(subscription, keepingMessages: true)
        }
        if settlement.warns {
            let rest = registration.expiry.milliseconds - now.milliseconds
            try add(
                .expiring(expires: transaction.time.reading().wall + rest), to: registration)
        }
        if settlement.reminds { try addReminder(registration) }
        if settlement.leaves { try addPresence(of: registration) }
        engines.changed(registration)
        transaction.effects.changes.append(.registration(device: registration.device))
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        let times = [
            try RegistrationRows.nextDue(on: transaction.connection),
            try ReceiverRows.nextExpiry(on: transaction.connection),
        ]
        return times.compactMap(\.self).min()
    }
}
