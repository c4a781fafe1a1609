import Base
import Delivery
import Notifications
import System

/// Engines: their accounts, and who gets their news. Only the writer's thread uses it.
final class StoredEngines {
    let transaction: Transaction
    let messages: StoredMessages
    let marks: StoredMarks
    let rows: EngineRows
    /// The texts for Telegram's pushes.
    let templates: TelegramTemplates
    // Exclusivity is unchecked: only one thread uses these properties, one access at a time.
    /// Engines in memory, in the state of the current batch. A failure discards them.
    @exclusivity(unchecked) var loaded: LoadedEngines
    @exclusivity(unchecked) var journal = EngineJournal()
    /// Large accounts that are written in parts, between batches.
    @exclusivity(unchecked) var drafts = AccountDrafts()
    /// What they were before the current batch, if it can be taken back.
    @exclusivity(unchecked) var formerDrafts = AccountDrafts()
    /// Engines that the current batch has used; nil unless it can be taken back.
    @exclusivity(unchecked) var touched: Set<UInt32>?
    /// What is still to be done because of engine updates.
    @exclusivity(unchecked) var consequences: [EngineConsequence] = []
    /// Absences that the current batch has ended.
    @exclusivity(unchecked) var absences: [UInt32: StoreTime] = [:]

    init(
        _ transaction: Transaction, _ messages: StoredMessages, _ marks: StoredMarks,
        templates: TelegramTemplates
    ) throws(StoreFault) {
        rows = try EngineRows(on: transaction.connection)
        loaded = LoadedEngines(room: transaction.limits.engineMemory)
        self.transaction = transaction
        self.messages = messages
        self.marks = marks
        self.templates = templates
        try EngineRows.loadRecords(on: transaction.connection) {
            journal.wrote($0, of: $1, size: $2)
        } part: {
            drafts.wrote($0, of: $1)
            // What a kill has left is removed between batches.
            drafts.clear($1)
        }
    }

    var index: StoreIndex { transaction.index }

    /// The pending consequences; carrying them out may add more.
    func takeConsequences() -> [EngineConsequence] {
        guard !consequences.isEmpty else { return [] }
        defer { consequences = [] }
        return consequences
    }

    /// Keeps what `takeBack` needs: another store may be faster with its batch.
    func begin() {
        touched = []
        formerDrafts = drafts
        journal.begin()
    }

    /// The batch did not count. Engines that it changed are read again when they are needed.
    func takeBack() {
        for row in touched ?? [] { loaded.remove(row) }
        drafts = formerDrafts
        journal.takeBack()
        consequences = []
    }

    func perform(_ operation: EngineOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .request(let client, let text):
            return try engine(client.engine) { engine throws(StoreFault) in
                try CrashMarker.mark(.command, text.span, subject: engine.row) {
                    () throws(StoreFault) in try answerRequest(client, text, engine)
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
                    // It was due by the caller's clock.
                    publish(deadline, of: engine)
                    return .done
                }
                engine.hosted.advance(to: now)
                return try finish(engine)
            }
        case .confirm(let id, let device, let row):
            return try confirm(id, device: device, row)
        case .lost(let node): return try lose(node: node)
        case .signOfLife(let row):
            return try engine(row) { engine throws(StoreFault) in
                try recordSignOfLife(engine)
                return .done
            }
        }
    }

    func publish(_ engine: UInt32, _ content: EngineNews.Content) {
        guard index.engines.hasListeners(engine) else { return }
        let news = EngineNews(engine: engine, content: content)
        #if PLANTED
            if PlantedMistake.updateBeforeCommit.isMade { return index.engines.notify([news]) }
        #endif
        transaction.effects.engineNews.append(news)
    }

    private func answerRequest(
        _ client: EngineClientID, _ text: [UInt8], _ engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        if try !hasRoom(engine), let refusal = Self.refusal(of: text) {
            publish(engine.row, .answer(refusal, client: client.number))
            return .done
        }
        let former = Counters(engine.hosted.engine.account)
        let wasMobile = engine.hosted.engine.account.source.isMobile
        let answer = engine.hosted.answer(text, now: wall)
        let outcome = try finish(engine)
        let isMobile = engine.hosted.engine.account.source.isMobile
        if isMobile != wasMobile { consequences.append(.mobile(isMobile, engine: engine.row)) }
        // The answer comes after the updates that the request caused.
        publish(engine.row, .answer(answer, client: client.number))
        if !engine.hosted.engine.isRunning { try beginAnew(engine, after: former) }
        return outcome
    }

    /// Performs a request of the host itself.
    func request(
        _ request: HostRequest, _ engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        engine.hosted.perform(request, now: wall)
        return try finish(engine)
    }

    /// Saves the engine's changes and queues its news for after the commit.
    func finish(
        _ engine: LoadedEngine, push device: UInt32? = nil
    ) throws(StoreFault) -> StoreOutcome {
        let news = engine.hosted.takeNews()
        try keep(engine)
        var isOwed = false
        for update in news.updates {
            if try addConsequences(of: update, engine.row, device) { isOwed = true }
        }
        if !news.dismissed.isEmpty {
            consequences.append(.dismissed(news.dismissed, engine: engine.row))
        }
        if isOwed {
            try publishOwed(news.updates, engine)
        } else if !news.updates.isEmpty {
            publish(engine.row, .updates(news.updates))
        }
        publish(news.deadline, of: engine)
        return device == nil || news.outranked == 0 ? .done : .registration(.outranked)
    }

    func publish(_ deadline: Double?, of engine: LoadedEngine) {
        guard deadline != engine.deadline, index.engines.hasListeners(engine.row) else { return }
        engine.deadline = deadline
        publish(engine.row, .deadline(deadline))
    }

    /// Queues what an update means for registrations and callbacks. True if the update is owed.
    private func addConsequences(
        of update: Update, _ engine: UInt32, _ device: UInt32?
    ) throws(StoreFault) -> Bool {
        switch update {
        case .fetchRequired(let reason, let details):
            // A push may be what finds the end of a session, but is not the reason for it.
            guard let device, reason != Engine.endOfSession else { return true }
            consequences.append(.fetch(device: device, engine: engine, details))
        case .notificationAction(let action):
            consequences.append(.event(.action(action), engine: engine))
        case .dcOption, .liveLocationsNeeded, .rawPush: break
        case .sessionRevoked:
            consequences.append(.revoke(engine: engine))
            return false
        case .actionExpired:
            transaction.effects.expiredActions += 1
            return false
        default: return false
        }
        return true
    }
}

/// What updates of an engine, and its clients, mean for registrations and their callbacks.
///
/// They are carried out after the operation that caused them and its own callback events, never
/// while another one is under way.
enum EngineConsequence {
    /// A push said that there is something to fetch.
    case fetch(device: UInt32, engine: UInt32, [Update.Detail])
    case revoke(engine: UInt32)
    case event(CallbackEvent, engine: UInt32)
    /// A client returned after a long time: remind the callbacks to call `registerDevice` again.
    case remind(engine: UInt32)
    /// Clients are connected, which is a sign of life of the registrations.
    case signOfLife(engine: UInt32)
    case mobile(Bool, engine: UInt32)
    /// The user has removed what has these names.
    case dismissed([String], engine: UInt32)

    var engine: UInt32 {
        switch self {
        case .fetch(_, let engine, _), .revoke(let engine), .event(_, let engine),
            .remind(let engine), .signOfLife(let engine), .mobile(_, let engine),
            .dismissed(_, let engine):
            engine
        }
    }
}
