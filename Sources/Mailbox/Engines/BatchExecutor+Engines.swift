import Base
import Crypto
import Dialects
import Notifications
import SQLite
import WebPush

/// What is done to engines within the transaction.
extension BatchExecutor {
    func perform(_ operation: EngineOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .request(let client, let text):
            return try engine(client.engine) { engine throws(StoreFault) in
                try answer(client, text, engine)
            }
        case .join(let client): return try join(client)
        case .advance(let row):
            return try engine(row) { engine throws(StoreFault) in
                let now = wall
                engine.deadline = nil
                let deadline = engine.hosted.engine.nextDeadline
                guard let deadline, deadline <= now else {
                    // By the clock of whoever asked it was.
                    tell(deadline, of: engine)
                    return .done
                }
                engine.hosted.advance(to: now)
                return try finish(engine)
            }
        case .confirm(let id, let device, let row):
            return try confirm(id, device: device, row)
        case .note(let row):
            return try engine(row) { engine throws(StoreFault) in
                try note(engine)
                return .done
            }
        }
    }

    func tell(_ engine: UInt32, _ content: EngineNews.Content) {
        guard index.engines.hasListeners(engine) else { return }
        #if PLANT_UPDATE_BEFORE_COMMIT
            index.engines.tell([EngineNews(engine: engine, content: content)])
        #else
            effects.engineNews.append(EngineNews(engine: engine, content: content))
        #endif
    }

    private func answer(
        _ client: EngineClientID, _ text: [UInt8], _ engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        let last = engine.hosted.engine.account.lastNotificationID
        let answer = engine.hosted.answer(text, now: wall)
        let outcome = try finish(engine)
        // Behind its updates.
        tell(engine.row, .answer(answer, client: client.number))
        if !engine.hosted.engine.isRunning { try beginAnew(engine, after: last) }
        return outcome
    }

    /// A request of our own.
    func request(_ text: String, _ engine: LoadedEngine) throws(StoreFault) -> StoreOutcome {
        _ = engine.hosted.answer(Array(text.utf8), now: wall)
        return try finish(engine)
    }

    /// What it did is written, and told once that is done.
    private func finish(
        _ engine: LoadedEngine, push device: UInt32? = nil
    ) throws(StoreFault) -> StoreOutcome {
        let news = engine.hosted.takeNews()
        try keep(engine)
        for update in news.updates { try follow(update, engine.row, device) }
        if !news.updates.isEmpty { tell(engine.row, .updates(news.updates)) }
        tell(news.deadline, of: engine)
        return device == nil || news.outranked == 0 ? .done : .registration(.outranked)
    }

    private func tell(_ deadline: Double?, of engine: LoadedEngine) {
        guard deadline != engine.deadline, index.engines.hasListeners(engine.row) else { return }
        engine.deadline = deadline
        tell(engine.row, .deadline(deadline))
    }

    /// What others than the clients hear of an update.
    private func follow(
        _ update: Update, _ engine: UInt32, _ device: UInt32?
    ) throws(StoreFault) {
        switch update {
        case .fetchRequired(_, let details):
            guard let device else { return }
            following.append(.fetch(device: device, engine: engine, details))
        case .sessionRevoked: following.append(.revoke(engine: engine))
        case .notificationAction(let chat, let message, let action, let text):
            let event = CallbackEvent.action(
                chatID: chat.rawValue, messageID: message.rawValue, action: action, text: text)
            following.append(.tell(event, engine: engine))
        default: break
        }
    }
}

/// Pushes.
extension BatchExecutor {
    /// A payload for an engine, and for whoever fetches.
    func receive(
        _ message: Message, _ mark: ReplayMark?, _ push: EnginePush
    ) throws(StoreFault) -> StoreOutcome {
        var isOutranked = false
        let outcome = try engine(push.engine) { _ throws(StoreFault) in
            let isThere = try rows { () throws(SQLiteError) in
                try database.engines.has(subscription: message.address.subscription)
            }
            guard isThere else { return .notFound }
            let destinations = try destinations(of: message, push)
            // All can be read, as this one can, or nothing is done.
            for row in destinations where row != push.engine {
                let isThere = try engine(row) { _ in .done }
                guard isThere != .unavailable else { return .unavailable }
            }
            if let mark, !isNew(mark) { return .registration(.repeated) }
            for row in destinations {
                let outcome = try engine(row) { engine throws(StoreFault) in
                    try process(message, push, by: engine)
                }
                isOutranked = isOutranked || outcome == .registration(.outranked)
            }
            return .done
        }
        guard isOutranked else { return try keep(message, push, outcome) }
        _ = try perform(.count(device: message.address.device, reason: Self.outranked))
        let kept = try keep(message, push, outcome)
        return kept == .unavailable ? kept : .registration(.outranked)
    }

    /// For the owner to know, beside the words for what nobody could read.
    private static let outranked = "outranked"

    /// Where nobody listens it waits for whoever fetches.
    private func keep(
        _ message: Message, _ push: EnginePush, _ outcome: StoreOutcome
    ) throws(StoreFault) -> StoreOutcome {
        guard message.needsStore else { return outcome }
        guard outcome == .done else {
            effects.unused.append(message)
            return outcome
        }
        guard push.isFetched, !index.engines.hasListeners(push.engine) else {
            effects.note(delivered: message, to: index)
            return .done
        }
        return try store(message)
    }

    private func process(
        _ message: Message, _ push: EnginePush, by engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        // RFC 8030 section 5.2: now or never.
        guard message.content.ttl > 0 || index.engines.hasListeners(engine.row) else {
            return .done
        }
        let level = message.content.level ?? .clear
        _ = engine.hosted.process(
            message.content.body, push.dialect, level,
            isTrusted: push.trustsClear && level == .clear, now: wall)
        return try finish(engine, push: message.address.device)
    }
}

/// Clients.
extension BatchExecutor {
    private func join(_ client: EngineClientID) throws(StoreFault) -> StoreOutcome {
        try engine(client.engine) { engine throws(StoreFault) in
            let consent = try members(of: engine).consent
            var welcome = consent == SourceConsent() ? [] : [Update.consent(consent)]
            welcome += engine.hosted.engine.welcome()
            _ = try finish(engine)
            engine.hosted.engine.refreshDevices()
            welcome += engine.hosted.engine.takeUpdates()
            tell(engine.row, .welcome(welcome, client: client.number))
            engine.deadline = nil
            tell(engine.hosted.engine.nextDeadline, of: engine)
            if isBack(engine.row) {
                let devices = try rows { () throws(SQLiteError) in
                    try EngineRows.devices(engine.row, on: database.connection)
                }
                for device in devices { try remind(device: device) }
            }
            try handOutWaiting(engine.row)
            try note(engine)
            return .done
        }
    }

    private func handOutWaiting(_ engine: UInt32) throws(StoreFault) {
        let devices = try rows { () throws(SQLiteError) in
            try EngineRows.waitingDevices(engine, on: database.connection)
        }
        for device in devices {
            // What waited until somebody is there is not fetched any more.
            effects.ended += try rows { () throws(SQLiteError) in
                try database.messages.deleteAll(ofDevice: device)
            }
            try handOut(device: device, engine, again: true)
        }
    }

    private func members(of engine: LoadedEngine) throws(StoreFault) -> EngineMembers {
        if let members = engine.members { return members }
        let members = EngineMembers(try registrations(of: engine.row))
        engine.members = members
        return members
    }

    /// A registration of its account has come, or gone.
    func tellConsent(of row: UInt32) throws(StoreFault) {
        guard index.engines.hasListeners(row) else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            tell(row, .updates([.consent(try members(of: engine).consent)]))
            return .done
        }
    }

    /// After so many seconds a client that returns has `registerDevice` repeated.
    private static let longAbsence: UInt32 = 3_600

    private func isBack(_ row: UInt32) -> Bool {
        guard let left = index.engines.takeAbsence(of: row) else { return false }
        return left.adding(seconds: Self.longAbsence) <= time.now
    }

    /// Its clients are a sign of life of every registration.
    private func note(_ engine: LoadedEngine) throws(StoreFault) {
        let now = time.now
        guard let next = try members(of: engine).nextNote, next <= now else { return }
        var registrations = try registrations(of: engine.row)
        for place in registrations.indices {
            let former = registrations[place].revision
            guard registrations[place].note(seenAt: now) else { continue }
            _ = try change(registrations[place], from: former, adding: nil)
        }
        engine.members?.noted(registrations)
    }

    /// Gives the fetch signal that is next to the clients, if there are any. One that was given and
    /// is not confirmed yet comes again only for who may not have heard it.
    func handOut(
        device: UInt32, _ engine: UInt32, again: Bool = false
    ) throws(StoreFault) {
        guard index.engines.hasListeners(engine) else { return }
        let now = time.now
        let found = try rows { () throws(SQLiteError) in
            var signals = try FetchSignalRows.load(device: device, on: database.connection)
            signals.expire(at: now)
            guard again || signals.inFlight == nil, let signal = signals.take() else {
                return nil as FetchSignal?
            }
            try FetchSignalRows.save(signals, device: device, on: database.connection)
            return signal
        }
        guard let found, let registration = try registration(device) else { return }
        tell(
            engine,
            .signal(
                found, device: device, registration: registration.id,
                service: registration.terms.service))
    }

    private func confirm(
        _ id: WebPush.MessageID, device: UInt32, _ engine: UInt32
    ) throws(StoreFault) -> StoreOutcome {
        let isMore = try rows { () throws(SQLiteError) in
            var signals = try FetchSignalRows.load(device: device, on: database.connection)
            signals.confirm(id)
            try FetchSignalRows.save(signals, device: device, on: database.connection)
            return signals.inFlight == nil && signals.waiting != nil
        }
        if isMore { try handOut(device: device, engine) }
        return .done
    }

    /// What waited was taken, which matters to an engine that rings by that. One that cannot be
    /// read keeps nobody from it.
    func noteFetched(_ device: UInt32) throws(StoreFault) {
        let row = try rows { () throws(SQLiteError) in
            try database.engines.engine(ofDevice: device)
        }
        guard let row else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            guard engine.hosted.engine.account.source.isSelective else { return .done }
            return try request(#"{"@type":"bellwire.setSource","fetched":true}"#, engine)
        }
    }

    /// Another client of the account is in use, or is not any more.
    func setPaused(_ isPaused: Bool, engine row: UInt32) throws(StoreFault) {
        _ = try engine(row) { engine throws(StoreFault) in
            try request(#"{"@type":"bellwire.setSource","paused":\#(isPaused)}"#, engine)
        }
    }
}
