import Base
import Delivery
import Topics
import WebPush

/// Devices, their credentials and their subscriptions. Only the writer's thread uses it.
final class StoredDevices {
    let transaction: Transaction
    private let messages: StoredMessages
    private let ended: EndedRows

    init(_ transaction: Transaction, _ messages: StoredMessages) throws(StoreFault) {
        ended = try EndedRows(on: transaction.connection)
        self.transaction = transaction
        self.messages = messages
        let credentials = try CredentialRows.load(
            from: transaction.connection, &transaction.sealer)
        for credential in credentials { transaction.index.set(credential) }
    }

    private var index: StoreIndex { transaction.index }

    private func record(_ change: BatchEffects.Change) {
        transaction.effects.changes.append(change)
    }
}

/// Devices.
extension StoredDevices {
    func add(_ device: KnownUserAgent) throws(StoreFault) -> StoreOutcome {
        guard device.row <= StoreIndex.lastRow else { return .full }
        guard device.credential != nil || index.hasRoomForStranger else { return .full }
        guard let owner = try insert(device, limit: OwnerLimits.userAgents) else {
            return .notFound
        }
        record(.device(device, owner: owner))
        return .done
    }

    /// Adds a device without a user agent. False if its credential does not exist.
    func add(_ device: KnownUserAgent, owner: String) throws(StoreFault) -> Bool {
        guard let owner = try insert(device, owner: owner) else { return false }
        record(.device(device, owner: owner))
        return true
    }

    /// Removes the device and its subscriptions. False if it does not exist.
    func remove(device row: UInt32) throws(StoreFault) -> Bool {
        for subscription in try subscriptions(ofDevice: row) { _ = try unregister(subscription) }
        guard let userAgent = try deleteDevice(row) else { return false }
        record(.removedDevice(row, userAgent: userAgent))
        return true
    }
}

/// Credentials and owners.
extension StoredDevices {
    func add(_ credential: DeviceCredential) throws(StoreFault) -> StoreOutcome {
        guard credential.row <= StoreIndex.lastRow else { return .full }
        // A token that was made elsewhere can be taken over twice.
        guard !isKnown(credential.secret) else { return .conflict }
        let limit = credential.token == nil ? OwnerLimits.devices : OwnerLimits.tokens
        let outcome = try insert(credential, limit: limit)
        if outcome == .done { record(.credential(credential)) }
        return outcome
    }

    private func isKnown(_ secret: Digest) -> Bool {
        let isStored = index.token(secret) != nil || index.credential(secret) != nil
        return isStored
            || transaction.effects.changes.contains { change in
                if case .credential(let added) = change { added.secret == secret } else { false }
            }
    }

    func confirm(credential row: UInt32) throws(StoreFault) -> StoreOutcome {
        guard let secret = try confirm(credentialRow: row) else { return .notFound }
        record(.confirmedCredential(secret))
        return .done
    }

    func change(
        token row: UInt32, _ name: String, _ terms: TokenTerms?
    ) throws(StoreFault) -> StoreOutcome {
        let renamed = try rename(token: row, name)
        guard renamed == .done, let terms else { return renamed }
        guard let secret = try set(terms, ofToken: row) else { return .notFound }
        record(.changedToken(secret, terms))
        return .done
    }

    private func rename(token row: UInt32, _ name: String) throws(StoreFault) -> StoreOutcome {
        let holder = try transaction.connection.statement(
            """
            SELECT other.row FROM credential JOIN credential other
            ON other.owner = credential.owner AND other.name = ?2 WHERE credential.row = ?1
            """, row, name)
        if try holder.step() { return holder.integer(0) == Int64(row) ? .done : .conflict }
        guard let secret = try set(name, ofToken: row) else { return .notFound }
        record(.renamedCredential(secret, name))
        return .done
    }

    /// Call this when no device made under the credential is left.
    func remove(credential row: UInt32) throws(StoreFault) -> StoreOutcome {
        guard let secret = try deleteCredential(row) else { return .notFound }
        record(.removedCredential(secret))
        return .done
    }
}

/// Subscriptions.
extension StoredDevices {
    func register(
        _ subscription: Subscription, seen: Int64? = nil
    ) throws(StoreFault) -> StoreOutcome {
        if let seen, let last = try lastSeen(subscription.address.device), last != seen {
            return .unavailable
        }
        guard subscription.address.subscription <= StoreIndex.lastRow,
            subscription.kind != .channel
                || index.hasRoomForEndpoint(of: subscription.address.device)
        else { return .full }
        guard index.endpoints[subscription.digest] == nil else { return .conflict }
        // The client may repeat a request whose answer was lost with its connection.
        if subscription.kind == .channel {
            for row in try channels(like: subscription) { _ = try unregister(row) }
        }
        let sealed = try transaction.seal(
            subscription.token.bytes,
            at: SubscriptionRows.place(
                subscription.address.subscription,
                of: try transaction.owner(ofDevice: subscription.address.device)))
        guard try insert(subscription, sealedToken: sealed) else { return .notFound }
        let endpoint = Endpoint(
            address: subscription.address, kind: subscription.kind, sender: subscription.sender)
        record(.endpoint(endpoint, subscription.digest))
        return .done
    }

    func bind(_ hash: KeyHash, to subscription: UInt32) throws(StoreFault) -> StoreOutcome {
        guard let digest = try bindKey(hash, to: subscription) else { return .notFound }
        record(.boundEndpoint(digest, hash))
        return .done
    }

    /// `keepingMessages`: the messages stay, because their destination still exists.
    func unregister(
        _ subscription: UInt32, keepingMessages: Bool = false
    ) throws(StoreFault) -> Bool {
        let now = transaction.time.now
        if !keepingMessages { try messages.endAll(of: subscription) }
        guard let digest = try deleteSubscription(subscription) else { return false }
        try ended.insert(digest, at: now, limit: transaction.limits.growth.endedEndpoints)
        transaction.wake(at: now.adding(seconds: EndedRows.lifetime))
        record(.endedEndpoint(digest))
        return true
    }

    /// Returns how many endpoints that ended long ago were deleted.
    func sweep(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try ended.deleteOld(at: now, limit: limit)
    }

    func nextExpiry() throws(StoreFault) -> StoreTime? {
        [try ended.nextExpiry(), try nextTokenExpiry()].compactMap(\.self).min()
    }
}
