import Base
import Crypto
import Dialects
import Notifications
import SQLite
import System
import WebPush

/// What is done to engines within the transaction.
extension BatchExecutor {
    func perform(_ operation: EngineOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .request(let client, let text):
            return try engine(client.engine) { engine throws(StoreFault) in
                try Underway.mark(.command, text.span, subject: engine.row) {
                    () throws(StoreFault) in try answer(client, text, engine)
                }
            }
        case .join(let client, let role): return try join(client, role)
        case .leave(let client, let isFetching): return try leave(client.engine, isFetching)
        case .release(let row):
            return try engine(row) { engine throws(StoreFault) in
                try request(.release, engine)
            }
        case .heard(let last, let row):
            return try engine(row) { engine throws(StoreFault) in
                engine.hosted.noticesHeard(through: last, now: wall)
                return try finish(engine)
            }
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
        if try !hasRoom(engine), let refusal = Self.refusal(of: text) {
            tell(engine.row, .answer(refusal, client: client.number))
            return .done
        }
        let former = Counters(engine.hosted.engine.account)
        let wasMobile = engine.hosted.engine.account.source.isMobile
        let answer = engine.hosted.answer(text, now: wall)
        let outcome = try finish(engine)
        let isMobile = engine.hosted.engine.account.source.isMobile
        if isMobile != wasMobile { try setMobile(isMobile, engine) }
        // Behind its updates.
        tell(engine.row, .answer(answer, client: client.number))
        if !engine.hosted.engine.isRunning { try beginAnew(engine, after: former) }
        return outcome
    }

    /// A request of our own.
    func request(
        _ request: HostRequest, _ engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        engine.hosted.perform(request, now: wall)
        return try finish(engine)
    }

    /// What it did is written, and told once that is done.
    func finish(
        _ engine: LoadedEngine, push device: UInt32? = nil
    ) throws(StoreFault) -> StoreOutcome {
        let news = engine.hosted.takeNews()
        try keep(engine)
        var isOwed = false
        for update in news.updates {
            if try follow(update, engine.row, device) { isOwed = true }
        }
        if isOwed {
            try tellOwed(news.updates, engine)
        } else if !news.updates.isEmpty {
            tell(engine.row, .updates(news.updates))
        }
        tell(news.deadline, of: engine)
        return device == nil || news.outranked == 0 ? .done : .registration(.outranked)
    }

    func tell(_ deadline: Double?, of engine: LoadedEngine) {
        guard deadline != engine.deadline, index.engines.hasListeners(engine.row) else { return }
        engine.deadline = deadline
        tell(engine.row, .deadline(deadline))
    }

    /// What others than the clients hear of an update. Whether it is one that is owed.
    private func follow(
        _ update: Update, _ engine: UInt32, _ device: UInt32?
    ) throws(StoreFault) -> Bool {
        switch update {
        case .fetchRequired(_, let details):
            guard let device else { return true }
            following.append(.fetch(device: device, engine: engine, details))
        case .notificationAction(let action):
            following.append(.tell(.action(action), engine: engine))
        case .dcOption, .liveLocationsNeeded, .rawPush: break
        case .sessionRevoked:
            following.append(.revoke(engine: engine))
            return false
        case .actionExpired:
            effects.expiredActions += 1
            return false
        default: return false
        }
        return true
    }
}

/// Pushes.
extension BatchExecutor {
    /// A payload for an engine, and for whoever fetches.
    func receive(
        _ message: Message, _ mark: ReplayMark?, _ push: EnginePush
    ) throws(StoreFault) -> StoreOutcome {
        let body = message.content.body
        guard !index.setAside.contains(.payload, body.span) else {
            return try keep(message, push, .unavailable)
        }
        var isOutranked = false
        let outcome = try engine(push.engine) { own throws(StoreFault) in
            let isThere = try rows { () throws(SQLiteError) in
                try database.engines.has(subscription: message.address.subscription)
            }
            guard isThere else { return .notFound }
            let destinations = try destinations(of: message, push)
            // All can be read, as this one can, or nothing is done.
            for row in destinations {
                let answer =
                    try row == push.engine
                    ? room(for: message, own)
                    : engine(row) { engine throws(StoreFault) in try room(for: message, engine) }
                guard answer != .unavailable, answer != .full else { return answer }
            }
            if let mark, !isNew(mark) { return .registration(.repeated) }
            for row in destinations {
                let outcome = try engine(row) { engine throws(StoreFault) in
                    try Underway.mark(.payload, body.span, subject: row) {
                        () throws(StoreFault) in try process(message, push, by: engine)
                    }
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
        guard push.isFetched, !index.engines.hasFetchers(push.engine) else {
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
        if engine.hosted.engine.account.owed.keepsRaw {
            engine.hosted.keepRaw(
                message.content.body, encoding: message.content.encoding?.rawValue ?? "clear",
                now: wall)
        }
        return try finish(engine, push: message.address.device)
    }

    /// Payloads that wait as they came are never dropped for others.
    private func room(
        for message: Message, _ engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        let owed = engine.hosted.engine.account.owed
        guard owed.hasRoom(forRaw: message.content.body.count), try hasRoom(engine) else {
            return .full
        }
        return .done
    }
}
