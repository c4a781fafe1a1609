import Delivery
import Notifications
import WebPush

/// Clients of engines, and what waits for them.
extension StoredEngines {
    func join(
        _ client: EngineClientID, _ role: EngineRole
    ) throws(StoreFault) -> StoreOutcome {
        try engine(client.engine) { engine throws(StoreFault) in
            try makeCurrent(engine, role)
            let consent = try registrations(of: engine).consent
            var welcome = consent == SourceConsent() ? [] : [Update.consent(consent)]
            welcome += engine.hosted.engine.welcome()
            _ = try finish(engine)
            welcome += try owed(engine, role)
            if role.isFetcher {
                engine.hosted.engine.refreshDevices()
                welcome += engine.hosted.engine.takeUpdates()
            }
            publish(
                engine.row,
                .welcome(
                    welcome, through: engine.hosted.engine.account.owed.lastID,
                    client: client.number))
            engine.deadline = nil
            publish(engine.hosted.engine.nextDeadline, of: engine)
            if isBack(engine.row) { consequences.append(.remind(engine: engine.row)) }
            try handOutWaiting(engine.row, to: role)
            try recordSignOfLife(engine)
            return .done
        }
    }

    /// Prepares the engine for a client that joins: handles what is due and applies what the
    /// application wants.
    private func makeCurrent(_ engine: LoadedEngine, _ role: EngineRole) throws(StoreFault) {
        if let deadline = engine.hosted.engine.nextDeadline, deadline <= wall {
            engine.hosted.advance(to: wall)
            _ = try finish(engine)
        }
        let keepsRaw = engine.hosted.engine.account.owed.keepsRaw
        guard role.isFetcher, let takesRaw = role.takesRaw, takesRaw != keepsRaw else { return }
        _ = try request(.setRaw(takesRaw), engine)
    }

    /// The updates that wait for the client that joins.
    private func owed(_ engine: LoadedEngine, _ role: EngineRole) throws(StoreFault) -> [Update] {
        guard !engine.hosted.engine.account.owed.isEmpty else { return [] }
        let hasFetchers = index.engines.hasFetchers(engine.row)
        guard role.isFetcher || !hasFetchers else { return [] }
        let updates = engine.hosted.engine.owedUpdates(for: role.owed)
        return try hasFetchers ? updates : naming(engine, updates)
    }

    /// Adds the application's service, which viewers need to pass the action on.
    private func naming(
        _ engine: LoadedEngine, _ updates: [Update]
    ) throws(StoreFault) -> [Update] {
        guard let service = try registrations(of: engine).service else { return updates }
        return updates.map { update in
            guard case .notificationAction(var action) = update else { return update }
            action.service = service
            return .notificationAction(action)
        }
    }

    func publishOwed(_ updates: [Update], _ engine: LoadedEngine) throws(StoreFault) {
        guard index.engines.hasListeners(engine.row) else { return }
        let hasFetchers = index.engines.hasFetchers(engine.row)
        publish(
            engine.row,
            .owed(
                try hasFetchers ? updates : naming(engine, updates),
                through: engine.hosted.engine.account.owed.lastID, hasFetchers: hasFetchers))
    }

    /// Ends what the client had begun. Viewers get what the last fetcher has not taken.
    func leave(_ row: UInt32, _ isFetching: Bool) throws(StoreFault) -> StoreOutcome {
        try engine(row) { engine throws(StoreFault) in
            if isFetching, engine.hosted.engine.isFetching {
                _ = try request(.abandonFetching, engine)
            }
            guard !index.engines.hasFetchers(row) else { return .done }
            let actions = engine.hosted.engine.owedUpdates(for: .viewer)
            if !actions.isEmpty { try publishOwed(actions, engine) }
            try handOutWaiting(row, to: EngineRole(isFetcher: false))
            return .done
        }
    }

    private func handOutWaiting(_ engine: UInt32, to role: EngineRole) throws(StoreFault) {
        let devices = try EngineRows.waitingDevices(engine, on: transaction.connection)
        for device in devices {
            // The stored payloads only waited for a client to arrive.
            if role.isFetcher {
                try messages.endAll(ofDevice: device)
            }
            try handOut(device: device, engine, again: true)
        }
    }

    /// A client that returns after this many seconds triggers a reminder to call `registerDevice`.
    private static let longAbsence: UInt32 = 3_600

    private func isBack(_ row: UInt32) -> Bool {
        guard let left = index.engines.takeAbsence(of: row) else { return false }
        absences[row] = left
        return left.adding(seconds: Self.longAbsence) <= transaction.time.now
    }

    /// A connected client is a sign of life of every registration.
    func recordSignOfLife(_ engine: LoadedEngine) throws(StoreFault) {
        guard let next = try registrations(of: engine).nextSignOfLife, next <= transaction.time.now
        else {
            return
        }
        consequences.append(.signOfLife(engine: engine.row))
    }
}

/// Fetch signals for clients of engines.
extension StoredEngines {
    func receive(_ signal: FetchSignal, _ address: Address) throws(StoreFault) -> StoreOutcome {
        guard try messages.has(subscription: address.subscription) else { return .notFound }
        try add(signal, device: address.device)
        guard let engine = try rows.engine(ofDevice: address.device) else { return .notFound }
        try handOut(device: address.device, engine)
        return .done
    }

    /// Leaves a signal that there is something to fetch. Connected fetchers know already.
    func leaveSignal(for registration: Registration) throws(StoreFault) {
        guard !index.engines.hasFetchers(registration.engine) else { return }
        let signal = FetchSignal(
            id: try transaction.newID(), version: nil, arrival: transaction.time.reading().wall,
            expiry: transaction.time.now.adding(seconds: FetchSignal.lifetime), told: 1)
        try add(signal, device: registration.device)
        try handOut(device: registration.device, registration.engine)
    }

    private func add(_ signal: FetchSignal, device: UInt32) throws(StoreFault) {
        var signals = try transaction.signals(device: device)
        signals.add(signal)
        try transaction.save(signals, device: device)
    }

    /// Gives the next fetch signal to the connected clients. A signal that was given but not
    /// confirmed is repeated only for clients that may have missed it. That includes viewers: they
    /// get it on behalf of the program that the registration names, and might not reach it.
    func handOut(
        device: UInt32, _ engine: UInt32, again: Bool = false
    ) throws(StoreFault) {
        guard index.engines.hasListeners(engine) else { return }
        let hasFetchers = index.engines.hasFetchers(engine)
        if !hasFetchers, try transaction.registration(device)?.terms.service == nil { return }
        guard let found = try nextSignal(device, again: again || !hasFetchers, hasFetchers),
            let registration = try transaction.registration(device)
        else { return }
        publish(
            engine,
            .signal(
                EngineNews.HandedSignal(
                    signal: found, count: hasFetchers ? found.count - found.told : found.count,
                    device: device, registration: registration.id,
                    service: registration.terms.service, hasFetchers: hasFetchers)))
    }

    /// Skips signals whose pushes the engine has already reported to fetchers.
    private func nextSignal(
        _ device: UInt32, again: Bool, _ hasFetchers: Bool
    ) throws(StoreFault) -> FetchSignal? {
        var signals = try FetchSignalRows.load(device: device, on: transaction.connection)
        let former = signals
        signals.expire(at: transaction.time.now)
        var found = again || signals.inFlight == nil ? signals.handOut() : nil
        while hasFetchers, let signal = found, signal.told >= signal.count {
            signals.confirm(signal.id)
            found = signals.handOut()
        }
        if signals != former { try transaction.save(signals, device: device) }
        return found
    }

    func confirm(
        _ id: MessageID, device: UInt32?, _ engine: UInt32
    ) throws(StoreFault) -> StoreOutcome {
        var devices = device.map { [$0] } ?? []
        if device == nil {
            devices = try EngineRows.waitingDevices(engine, on: transaction.connection)
        }
        for device in devices where try confirm(id, device) {
            try handOut(device: device, engine)
        }
        return .done
    }

    /// Returns whether another signal is waiting.
    private func confirm(
        _ id: MessageID, _ device: UInt32
    ) throws(StoreFault) -> Bool {
        var signals = try FetchSignalRows.load(device: device, on: transaction.connection)
        guard signals.inFlight?.id == id else { return false }
        signals.confirm(id)
        try transaction.save(signals, device: device)
        return signals.waiting != nil
    }
}

/// The clients of engines, as the stores tell each other.
extension StoredEngines {
    /// Reads which clients of engines the other stores have. Rows of this store are left from its
    /// last run.
    func beginSharing(as node: String, _ wake: @escaping @Sendable () -> Void) throws(StoreFault) {
        var own: [UInt32] = []
        let select = try transaction.connection.statement(
            "SELECT engine, node, fetchers FROM engine_client")
        while try select.step() {
            let (engine, other) = (UInt32(clamping: select.integer(0)), select.text(1))
            if other == node {
                own.append(engine)
            } else {
                let count = RemoteClients.Count(fetchers: Int(select.integer(2)))
                index.engines.set(count, of: engine, at: other)
            }
        }
        index.engines.share(own, wake)
    }

    /// Writes rows that say which clients these engines have here.
    func share(_ engines: Set<UInt32>, as node: String) throws(StoreFault) {
        for engine in engines {
            guard let count = index.engines.clientsHere(engine) else {
                try transaction.connection.run(
                    "DELETE FROM engine_client WHERE node = ?1 AND engine = ?2", node, engine)
                continue
            }
            try transaction.connection.run(
                """
                INSERT INTO engine_client VALUES (?1, ?2, ?3)
                ON CONFLICT DO UPDATE SET fetchers = ?3
                """, engine, node, Int64(count.fetchers))
        }
    }

    /// The node has ended without leaving, so its clients are gone too.
    func lose(node: String) throws(StoreFault) -> StoreOutcome {
        let engines = try transaction.connection.rows(
            "DELETE FROM engine_client WHERE node = ?1 RETURNING engine", node)
        for engine in engines {
            transaction.effects.changes.append(.clients(engine, node: node, nil))
        }
        return engines.isEmpty ? .notFound : .done
    }
}
