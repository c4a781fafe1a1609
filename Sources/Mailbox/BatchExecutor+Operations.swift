import Base
import Crypto
import SQLite
import WebPush

/// What each operation does within the transaction.
extension BatchExecutor {
    func perform(
        _ operation: StoreOperation, _ acknowledged: inout Acknowledged
    ) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .store(let message):
            // With a topic it ends another message, acknowledged or not; a mark is for repetitions.
            if message.content.topic == nil, message.mark == nil, acknowledged.passes(message.id) {
                effects.unused.append(message)
                return .acknowledged
            }
            return try store(message)
        case .acknowledge(let reference):
            if acknowledged.hasPassed(reference.id) { return .done }
            return end(try database.messages.delete(reference))
        case .acknowledgeByID(let id, let device):
            return end(try database.messages.delete(id, device: device))
        case .withdraw(let location): return try withdraw(location)
        case .dropOldest(let address, let count):
            return end(try database.messages.deleteOldest(of: address, count))
        case .addDevice, .touchDevice, .removeDevice: return try performOnDevice(operation)
        case .register(let subscription): return try register(subscription)
        case .bindKey(let subscription, let hash): return try bind(hash, to: subscription)
        case .unregister(let subscription):
            return try unregister(subscription) ? .done : .notFound
        case .addCredential, .touchCredential, .removeCredential:
            return try performOnCredential(operation)
        case .callback(let operation): return try perform(operation)
        case .with(let operation, let callbacks):
            return try perform(operation, with: callbacks, &acknowledged)
        case .registration(let operation): return try perform(operation)
        case .engine(let operation): return try perform(operation)
        case .addOwner(let name):
            let isNew = try database.insertOwner(name)
            return isNew ? .done : .conflict
        case .removeOwner(let row): return try removeOwner(row)
        }
    }

    func store(_ message: Message) throws(StoreFault) -> StoreOutcome {
        position += 1
        let topic: [UInt8]?
        let sealed: [UInt8]
        do throws(OpenSSLError) {
            topic = try message.content.topic.map { topic throws(OpenSSLError) in
                try name(of: topic.text)
            }
            let record = MessageRecord.bytes(message.content, arrival: message.arrival)
            sealed = try sealer.seal(
                record.span,
                at: Sealer.Place(
                    table: MessageRows.sealedTable, row: position,
                    column: MessageRows.sealedColumn))
        } catch { throw .crypto(error) }
        if let topic {
            effects.ended += try database.messages.delete(
                topic: topic, of: message.address.subscription)
        }
        #if PLANT_DROP_OLDEST
            try StoreStatement(
                """
                DELETE FROM message WHERE position IN (
                SELECT position FROM message WHERE subscription = \(message.address.subscription)
                ORDER BY sequence DESC LIMIT 1 OFFSET 1000)
                """, on: database.connection
            ).run()
        #endif
        let isStored = try database.messages.insert(
            message, at: position, topic: topic, sealed: sealed)
        guard isStored else {
            effects.unused.append(message)
            return .notFound
        }
        if let mark = message.mark {
            let owner = index.owner(ofDevice: message.address.device)
            effects.marks.append(OwnedMark(mark: mark, owner: owner))
        }
        effects.stored.append((message.location.high, position))
        nextExpiry = min(nextExpiry ?? message.expiry, message.expiry)
        return .stored(position: position)
    }

    /// Those of the messages that this batch stores, or that whoever listens has taken.
    func keepMarks() throws(StoreFault) {
        guard !effects.marks.isEmpty else { return }
        position += 1
        let expires = time.now.adding(seconds: RepetitionMark.lifetime)
        try database.marks.insert(effects.marks, at: position, expires: expires)
        wake(at: expires)
    }

    /// A topic is chosen by the sender and may tell something: the file has this in its place.
    private func name(of topic: String) throws(OpenSSLError) -> [UInt8] {
        let text = Array(topic.utf8)
        let digest = try keys.endpoint.withSpan { key throws(OpenSSLError) in
            try hash.hmac(key: key, text.span)
        }
        return digest.span.array(0..<16)
    }

    private func withdraw(_ location: LocationID) throws(StoreFault) -> StoreOutcome {
        guard let position = locations.position(location.high) else { return .notFound }
        let ended = try database.messages.delete(location, at: position)
        effects.ended += ended
        return ended.first.map { .withdrawn($0.reference) } ?? .notFound
    }

    private func end(
        _ ended: [MessageRows.Ended]
    ) -> StoreOutcome {
        effects.ended += ended
        return ended.isEmpty ? .notFound : .done
    }
}

/// Destinations.
extension BatchExecutor {
    private func performOnDevice(_ operation: StoreOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .addDevice(let device):
            guard device.row <= StoreIndex.lastRow else { return .full }
            guard device.credential != nil || index.hasRoomForStranger else { return .full }
            let owner = try database.insert(device, limit: OwnerLimits.userAgents)
            guard let owner else { return .notFound }
            effects.changes.append(.device(device, owner: owner))
            return .done
        case .touchDevice(let row, let time):
            let isThere = try database.touch(.device, row, at: time)
            return isThere ? .done : .notFound
        case .removeDevice(let row): return try removeDevice(row) ? .done : .notFound
        default: preconditionFailure("no operation on a device")
        }
    }

    private func performOnCredential(
        _ operation: StoreOperation
    ) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .addCredential(let credential):
            guard credential.row <= StoreIndex.lastRow else { return .full }
            let outcome = try database.insert(credential, limit: OwnerLimits.devices)
            if outcome == .done { effects.changes.append(.credential(credential)) }
            return outcome
        case .touchCredential(let row, let time):
            let isThere = try database.touch(.credential, row, at: time)
            return isThere ? .done : .notFound
        case .removeCredential(let row): return try removeCredential(row)
        default: preconditionFailure("no operation on a credential")
        }
    }

    func removeDevice(_ row: UInt32) throws(StoreFault) -> Bool {
        let subscriptions = try database.subscriptions(ofDevice: row)
        for subscription in subscriptions { _ = try unregister(subscription) }
        let registration = try registration(row)
        let engine = try database.engines.engine(ofDevice: row)
        if let engine { engines[engine]?.remove(registration) }
        let userAgent = try database.deleteDevice(row)
        let isRegistration = try RegistrationRows.delete(row, on: database.connection)
        guard let userAgent else { return false }
        if let engine { try leave(engine, registration?.terms) }
        if isRegistration { effects.changes.append(.registration(device: row)) }
        effects.changes.append(.removedDevice(row, userAgent: userAgent))
        return true
    }

    /// An engine lives as long as the last registration of its account. What the one that is gone had
    /// said, nil where it could not be read, is said no more.
    private func leave(
        _ engine: UInt32, _ terms: RegistrationTerms?
    ) throws(StoreFault) {
        let others = try EngineRows.devices(engine, on: database.connection)
        guard !others.isEmpty else { return try endEngine(engine) }
        if terms == nil || terms?.presentation != nil {
            try tellConsent(of: engine)
            try present(engine)
        }
        if terms == nil || terms?.service != nil { effects.changes.append(.engines) }
    }

    private func removeCredential(_ row: UInt32) throws(StoreFault) -> StoreOutcome {
        let devices = try database.devices(underCredential: row)
        try removeDevices(devices)
        let secret = try database.deleteCredential(row)
        guard let secret else { return .notFound }
        effects.changes.append(.removedCredential(secret))
        return .done
    }

    /// With the callbacks of those that are registrations; nobody has anything to unregister with.
    private func removeDevices(_ devices: [UInt32]) throws(StoreFault) {
        for device in devices {
            _ = try removeDevice(device)
            _ = try perform(.end(callback: device, last: nil))
        }
    }

    private func removeOwner(_ row: UInt32) throws(StoreFault) -> StoreOutcome {
        let credentials = try database.credentials(ofOwner: row)
        for credential in credentials { _ = try removeCredential(credential) }
        // What he registered by the control socket has no credential.
        try removeDevices(
            try database.devices(ofOwner: row))
        let wasThere = try database.deleteOwner(row)
        return wasThere ? .done : .notFound
    }

    func register(_ subscription: Subscription) throws(StoreFault) -> StoreOutcome {
        guard subscription.address.subscription <= StoreIndex.lastRow,
            subscription.kind != .channel
                || index.hasRoomForEndpoint(of: subscription.address.device)
        else { return .full }
        guard index.endpoints[subscription.digest] == nil else { return .conflict }
        // Its answer may have been lost with a connection, and the client asked again.
        if subscription.kind == .channel {
            let former = try database.channels(like: subscription)
            for row in former { _ = try unregister(row) }
        }
        let token = subscription.token.bytes
        let sealed: [UInt8]
        do throws(OpenSSLError) {
            sealed = try sealer.seal(
                token.span, at: SubscriptionRows.place(subscription.address.subscription))
        } catch { throw .crypto(error) }
        let isStored = try database.insert(subscription, sealedToken: sealed)
        guard isStored else { return .notFound }
        let endpoint = Endpoint(
            address: subscription.address, kind: subscription.kind, sender: subscription.sender)
        effects.changes.append(.endpoint(endpoint, subscription.digest))
        return .done
    }

    private func bind(
        _ hash: KeyHash, to subscription: UInt32
    ) throws(StoreFault) -> StoreOutcome {
        let digest = try database.bindKey(hash, to: subscription)
        guard let digest else { return .notFound }
        effects.changes.append(.boundEndpoint(digest, hash))
        return .done
    }

    /// `keepingMessages`: their destination lives on.
    func unregister(
        _ subscription: UInt32, keepingMessages: Bool = false
    ) throws(StoreFault) -> Bool {
        let now = time.now
        if !keepingMessages {
            effects.ended += try database.messages.deleteAll(of: subscription)
        }
        guard let digest = try database.deleteSubscription(subscription) else { return false }
        try database.ended.insert(digest, at: now, limit: limits.growth.endedEndpoints)
        wake(at: now.adding(seconds: EndedRows.lifetime))
        effects.changes.append(.endedEndpoint(digest))
        return true
    }
}
