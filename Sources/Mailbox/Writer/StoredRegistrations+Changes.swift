import Delivery
import Notifications
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
        guard try topics.isFree(registration) else { return .registration(.nameTaken) }
        guard try update(registration, from: revision) else { return .conflict }
        if let former, former.terms.topic != registration.terms.topic {
            try topics.change(registration)
            if former.terms.topic.dismissal != registration.terms.topic.dismissal {
                try engines.changedConsent(of: registration.engine)
            }
        }
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
                try CrashMarker.mark(.registration, registration.device) { () throws(StoreFault) in
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

/// Events for the callbacks of registrations.
extension StoredRegistrations {
    /// Does nothing without a callback.
    func add(_ event: CallbackEvent, to registration: Registration) throws(StoreFault) {
        guard registration.terms.callback != nil else { return }
        _ = try callbacks.add(try self.event(event, of: registration), to: registration.device)
    }

    /// Ends the registration; its callback gets this as the last event.
    func end(_ registration: Registration, telling event: CallbackEvent) throws(StoreFault) {
        let last = try self.event(event, of: registration)
        _ = try remove(device: registration.device)
        _ = try callbacks.end(registration.device, last: last)
    }

    /// The user came online or went offline.
    func addPresence(of registration: Registration) throws(StoreFault) {
        let presence = registration.presence
        let rest = registration.sessionEnd.milliseconds - transaction.time.now.milliseconds
        let until = presence.isOnline ? transaction.time.reading().wall + rest : nil
        try add(
            .session(online: presence.isOnline, mobile: presence.isMobile, until: until),
            to: registration)
    }

    private func event(
        _ event: CallbackEvent, of registration: Registration
    ) throws(StoreFault) -> OutboxEvent {
        event.entry(
            try transaction.newID(), registration: registration.id.text,
            account: registration.terms.account, at: transaction.time.reading().wall)
    }
}

/// Reminders to call `registerDevice` again.
extension StoredRegistrations {
    /// Continues the round of reminders made at each start.
    func remindSome(after last: UInt32, atMost limit: Int) throws(StoreFault) {
        let found = try callbacks.callbacks(after: last, limit: limit)
        for device in found { try remind(device: device) }
        transaction.effects.changes.append(.reminded(found.count < limit ? nil : found.last))
    }

    /// Does nothing without a callback.
    private func remind(device: UInt32) throws(StoreFault) {
        guard var registration = try transaction.registration(device),
            registration.terms.callback != nil
        else { return }
        let revision = registration.revision
        registration.remind(at: transaction.time.now)
        _ = try update(registration, from: revision)
        try addReminder(registration)
        transaction.effects.changes.append(.registration(device: device))
    }

    /// Does nothing until `remind` has said how to describe a registration.
    func addReminder(_ registration: Registration) throws(StoreFault) {
        guard let parameters = transaction.index.reminders.parameters(of: registration) else {
            return
        }
        try add(.refresh(registerDevice: parameters), to: registration)
    }
}

/// Consequences of engine updates.
extension StoredRegistrations {
    func carryOut(_ consequence: EngineConsequence) throws(StoreFault) {
        try CrashMarker.mark(.account, consequence.engine) { () throws(StoreFault) in
            try perform(consequence)
        }
    }

    private func perform(_ consequence: EngineConsequence) throws(StoreFault) {
        switch consequence {
        case .fetch(let device, let engine, let details): try fetch(device, engine, details)
        case .event(let event, let engine):
            for registration in try transaction.registrations(of: engine) {
                try add(event, to: registration)
            }
        case .revoke(let engine):
            // The session is over: nothing may be sent in its name any more.
            for registration in try transaction.registrations(of: engine) {
                try end(registration, telling: .sessionRevoked)
            }
        case .remind(let engine):
            for device in try transaction.devices(of: engine) { try remind(device: device) }
        case .signOfLife(let engine): try recordSignOfLife(engine)
        case .mobile(let isMobile, let engine): try setMobile(isMobile, engine)
        case .dismissed(let names, let engine):
            for name in names { try dismiss(name, by: engine) }
        }
    }

    /// Tells the callback and leaves a fetch signal. Connected fetchers were told already.
    private func fetch(
        _ device: UInt32, _ engine: UInt32, _ details: [Update.Detail]
    ) throws(StoreFault) {
        var found = try transaction.registration(device)
        // The push arrived at the endpoint of another account.
        if found?.engine != engine { found = try transaction.registrations(of: engine).first }
        guard let registration = found else { return }
        try add(.fetch(count: 1, version: nil, details: details), to: registration)
        try engines.leaveSignal(for: registration)
    }

    /// A connected client is a sign of life of every registration.
    private func recordSignOfLife(_ engine: UInt32) throws(StoreFault) {
        let now = transaction.time.now
        var registrations = try transaction.registrations(of: engine)
        for place in registrations.indices {
            let former = registrations[place].revision
            guard registrations[place].recordSignOfLife(at: now) else { continue }
            _ = try change(registrations[place], from: former, adding: nil)
        }
        engines.recordedSignOfLife(registrations, engine)
    }

    /// Sets what others see of the account's user.
    private func setMobile(_ isMobile: Bool, _ engine: UInt32) throws(StoreFault) {
        var registrations = try transaction.registrations(of: engine)
        for place in registrations.indices where registrations[place].isMobile != isMobile {
            let former = registrations[place].revision
            registrations[place].setMobile(isMobile)
            _ = try change(registrations[place], from: former, adding: nil)
        }
    }
}
