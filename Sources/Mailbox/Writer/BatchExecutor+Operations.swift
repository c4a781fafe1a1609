import Base
import Delivery

/// Passes each operation to the owner of the data it changes.
extension BatchExecutor {
    func perform(_ operation: StoreOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .store(let message): try messages.storeUnlessAcknowledged(message)
        case .acknowledge(let reference): try messages.acknowledge(reference)
        case .acknowledgeByID(let id, let device): try messages.acknowledge(id, device: device)
        case .withdraw(let location): try withdraw(location)
        case .dropOldest(let address, let count):
            try messages.dropOldest(of: address, count)
        case .addDevice(let device): try devices.add(device)
        case .touchDevice(let row, let time): try devices.touch(row, at: time)
        case .removeDevice(let row):
            try registrations.remove(device: row) ? .done : .notFound
        case .retireDevice(let row): try registrations.retire(device: row)
        case .register(let subscription, let seen):
            try devices.register(subscription, seen: seen)
        case .bindKey(let subscription, let hash): try devices.bind(hash, to: subscription)
        case .unregister(let subscription):
            try devices.unregister(subscription) ? .done : .notFound
        case .addCredential(let credential): try devices.add(credential)
        case .touchCredential(let row, let time):
            try devices.touch(credential: row, at: time)
        case .confirmCredential(let row): try devices.confirm(credential: row)
        case .changeToken(let row, let name, let terms):
            try devices.change(token: row, name, terms)
        case .removeCredential(let row): try registrations.remove(credential: row)
        case .passkey(let operation): try PasskeyRows.perform(operation, in: transaction)
        case .addOwner(let name): try devices.insertOwner(name) ? .done : .conflict
        case .removeOwner(let row): try registrations.remove(owner: row)
        case .forgetCredential(let row): try registrations.forget(credential: row)
        case .forgetOwner(let row): try registrations.forget(owner: row)
        case .callback(let operation): try perform(operation)
        case .forward(let operation): try forwards.perform(operation)
        case .registration(let operation, let callbacks):
            try perform(operation, telling: callbacks)
        case .engine(let operation): try engines.perform(operation)
        }
    }

    /// What was pushed to an account is on the screen and in its history, too, also when it does not
    /// wait.
    private func withdraw(_ location: LocationID) throws(StoreFault) -> StoreOutcome {
        let message = try messages.message(at: location)
        let outcome = try messages.withdraw(location)
        if case .withdrawn = outcome, let message { try engines.withdraw(message) }
        try registrations.withdraw(location)
        return outcome
    }

    func perform(_ operation: CallbackOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .make(let callback, let introduction):
            return try callbacks.make(callback, introduction)
        case .rotateSecret(let callback, let secret):
            return try callbacks.rotate(callback, secret)
        case .add(let event, let callback): return try callbacks.add(event, to: callback)
        case .end(let callback, let last): return try callbacks.end(callback, last: last)
        case .record(let record):
            let (outcome, action) = try callbacks.record(record)
            if let action { try engines.end(action: action, ofDevice: record.callback) }
            return outcome
        }
    }

    /// Does the operation and queues its callback events: both, or neither if an outbox is full.
    private func perform(
        _ operation: RegistrationOperation, telling told: [CallbackOperation]
    ) throws(StoreFault) -> StoreOutcome {
        guard try callbacks.hasRoom(for: told) else { return .full }
        let outcome = try registrations.perform(operation)
        switch outcome {
        case .stored, .acknowledged, .done, .withdrawn, .registration(.outranked),
            .registration(.notUnderstood):
            #if PLANTED
                if PlantedMistake.outboxAfterAnswer.isMade {
                    lateCallbacks += told
                    return outcome
                }
            #endif
            for operation in told { _ = try perform(operation) }
        case .notFound, .conflict, .full, .unavailable, .registration: break
        }
        return outcome
    }
}
