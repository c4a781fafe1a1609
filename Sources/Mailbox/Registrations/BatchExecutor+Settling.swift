import Crypto
import SQLite
import System
import WebPush

/// What time does to registrations.
extension BatchExecutor {
    private static let settledAtOnce = 64
    /// When one that cannot be read, or was set aside, is looked at again: the key, or a program that
    /// can do it, may be back then.
    private static let secondLook: UInt32 = 86_400

    /// True if there may be more to do.
    func settleRegistrations(at now: StoreTime) throws(StoreFault) -> Bool {
        let found = try RegistrationRows.due(
            at: now, limit: Self.settledAtOnce, on: database.connection, &sealer)
        for entry in found {
            switch entry {
            case .none: break
            case .damaged(let device):
                try putOff(device, at: now)
            case .registration(let registration)
            where index.setAside.contains(.registration, registration.device):
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
            device, until: now.adding(seconds: Self.secondLook), on: database.connection)
    }

    private func settle(_ registration: Registration, at now: StoreTime) throws(StoreFault) {
        var settled = registration
        guard let settlement = settled.settle(at: now) else {
            _ = try removeDevice(registration.device)
            let last = try event(.expired, of: registration)
            return _ = try perform(.end(callback: registration.device, last: last))
        }
        let sealed = try seal(settled)
        _ = try RegistrationRows.update(
            settled, from: registration.revision, sealed: sealed, on: database.connection)
        try carryOut(settlement, of: settled, at: now)
    }

    /// What a registration that was settled leaves to be done.
    func carryOut(
        _ settlement: Registration.Settlement, of registration: Registration, at now: StoreTime
    ) throws(StoreFault) {
        for subscription in settlement.ended {
            _ = try unregister(subscription, keepingMessages: true)
        }
        if settlement.warns {
            let rest = registration.expiry.milliseconds - now.milliseconds
            let event = try event(.expiring(expires: time.reading().wall + rest), of: registration)
            _ = try perform(.add(event, to: registration.device))
        }
        if settlement.reminds { try remind(registration) }
        if settlement.leaves { try tellPresence(of: registration) }
        engines[registration.engine]?.members?.changed(registration)
        effects.changes.append(.registration(device: registration.device))
    }

    /// Whether its user is there has changed.
    func tellPresence(of registration: Registration) throws(StoreFault) {
        guard registration.terms.callback != nil else { return }
        let presence = registration.presence
        let rest = registration.sessionEnd.milliseconds - time.now.milliseconds
        let event = try event(
            .session(
                online: presence.isOnline, mobile: presence.isMobile,
                until: presence.isOnline ? time.reading().wall + rest : nil), of: registration)
        _ = try perform(.add(event, to: registration.device))
    }

    func event(
        _ event: CallbackEvent, of registration: Registration
    ) throws(StoreFault) -> OutboxEvent {
        var random = RandomSupply()
        do throws(OpenSSLError) {
            return event.entry(
                try MessageID(from: &random), registration: registration.id.text,
                account: registration.terms.account, at: time.reading().wall)
        } catch { throw .crypto(error) }
    }

    func nextRegistrationDue() throws(StoreFault) -> StoreTime? {
        let times = [
            try RegistrationRows.nextDue(on: database.connection),
            try ReceiverRows.nextExpiry(on: database.connection),
        ]
        return times.compactMap(\.self).min()
    }
}
