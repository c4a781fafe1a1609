import Crypto
import Delivery
import System

/// The only thread that reads: pages of waiting messages, and lists. It never blocks the writer.
// Unchecked: all threads may use the queue; once the reader's thread runs, it alone uses the rest.
final class StoreReader: @unchecked Sendable {
    private enum Request {
        case load(LoadRequest, ticket: UInt64, any StoreSink)
        /// Work to do while nothing is read.
        case between(@Sendable () -> Void)
    }

    private struct Queue {
        var waiting: [Request] = []
        var isClosed = false
    }

    private let queue = Monitor(Queue())
    private let source: StoreSource
    private let limits: StoreLimits
    private var sealer: Sealer
    private let topics: TopicReading
    private var searches = SearchTurns()
    private var keyGeneration: Int
    private var time: StoreTimekeeper { source.time }
    /// Opened on first use, and again after a failure.
    private var database: ReaderDatabase?

    init(_ source: StoreSource, limits: StoreLimits) throws(StoreFault) {
        self.source = source
        self.limits = limits
        topics = TopicReading(limits)
        keyGeneration = source.keys.generation
        do throws(OpenSSLError) {
            sealer = try source.keys.sealer()
        } catch { throw .crypto(error) }
    }

    /// Any thread may call it.
    func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink) {
        let (isTaken, isFirst) = queue.withLock { queue in
            guard !queue.isClosed, queue.waiting.count < limits.queuedOperations else {
                return (false, false)
            }
            queue.waiting.append(.load(request, ticket: ticket, sink))
            return (true, queue.waiting.count == 1)
        }
        if isFirst { queue.signal() }
        if !isTaken { sink.loaded(.unavailable, ticket: ticket) }
    }

    /// Runs `body` when nothing is being read. Any thread may call it, but not after `close`.
    func between(_ body: @escaping @Sendable () -> Void) {
        queue.withLock { queue in
            if !queue.isClosed { queue.waiting.append(.between(body)) }
        }
        queue.signal()
    }

    /// Answers what is queued, then ends the thread. Any thread may call it.
    func close() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
    }

    /// What a search has in memory of this topic is forgotten soon. Any thread may call it.
    func forgetTexts(of device: UInt32) {
        between { [weak self] in self?.topics.searches.forget(device) }
    }

    /// The thread's loop, until `close`.
    func run() {
        while let requests = wait() {
            for request in requests {
                switch request {
                case .load(.search(let request), let ticket, let sink):
                    searches.add(request, ticket, sink)
                case .load(let request, let ticket, let sink):
                    sink.loaded(read(request), ticket: ticket)
                case .between(let body): body()
                }
            }
            searches.goOn(goOn)
            topics.searches.dropUnused(at: Boot.milliseconds)
        }
        searches.giveUp()
        database = nil
    }

    /// How often to look for texts that nobody searches any more, in milliseconds.
    private static let pause: Int64 = 60_000

    /// Nil at the end.
    private func wait() -> [Request]? {
        func take(_ queue: inout Queue) -> [Request]?? {
            if queue.waiting.isEmpty { return queue.isClosed ? .some(nil) : nil }
            defer { queue.waiting = [] }
            return queue.waiting
        }
        guard searches.isEmpty else { return queue.withLock(take) ?? [] }
        return queue.wait(atMost: topics.searches.isEmpty ? nil : Self.pause, take) ?? []
    }

    private func goOn(_ search: TopicSearch) -> TopicSearches.Turn {
        do throws(StoreFault) {
            guard useCurrentKeys() else { return .done(nil) }
            return try topics.searches.goOn(search, on: try openedDatabase().connection, &sealer)
        } catch {
            database = nil
            return .done(nil)
        }
    }

    private func read(_ request: LoadRequest) -> LoadAnswer {
        do throws(StoreFault) {
            guard useCurrentKeys() else { return .unavailable }
            let database = try openedDatabase()
            switch request {
            case .messages(let page):
                return .page(
                    try database.page(page, at: time.now, within: limits, unsealing: &sealer))
            case .subscriptions(let device):
                return .subscriptions(
                    try SubscriptionRows.load(
                        ofDevice: device, from: database.connection, &sealer))
            case .credentials, .tokens:
                var isOfTopics = false
                if case .tokens = request { isOfTopics = true }
                return .credentials(
                    try CredentialRows.load(from: database.connection, &sealer)
                        .filter { ($0.token != nil) == isOfTopics })
            case .passkeys(let query):
                return .passkeys(
                    try PasskeyRows.load(query, from: database.connection, &sealer))
            case .callbacks:
                return .callbacks(try CallbackReading.rowsAtWork(database.connection))
            case .callback(let row):
                return try CallbackReading.load(row, from: database.connection, &sealer)
            case .forwards(let owner):
                return try CallbackReading.forwards(of: owner, from: database.connection, &sealer)
            case .registration(let request):
                return try read(request, database)
            case .engines(let account, let app, let owner):
                return try engines(account, app, owner, database)
            case .topic(let query):
                let answer = try topics.answer(query, from: database.connection, &sealer)
                return answer.map { .topic($0) } ?? .unavailable
            case .question(let id):
                let found = try topics.question(id, from: database.connection, &sealer)
                return found.map { .question($0) } ?? .unavailable
            // These are answered in turns.
            case .search: return .unavailable
            case .owners:
                return .owners(try CredentialRows.owners(from: database.connection))
            case .export(let export):
                return .export(
                    try export.part { () throws(StoreFault) in try moment(of: export.subject) })
            }
        } catch {
            database = nil
            return .unavailable
        }
    }

    /// False if that failed.
    private func useCurrentKeys() -> Bool {
        let generation = source.keys.generation
        guard generation != keyGeneration else { return true }
        do throws(OpenSSLError) {
            sealer = try source.keys.sealer()
        } catch { return false }
        keyGeneration = generation
        return true
    }

    private func openedDatabase() throws(StoreFault) -> ReaderDatabase {
        if let database { return database }
        let opened = try ReaderDatabase(source.path, besides: source.index.setAside)
        database = opened
        return opened
    }
}

/// Exports.
extension StoreReader {
    /// The export gets a sealer of its own: a key that is dropped later may have sealed what it
    /// reads. No key is replaced between the two, because that waits for this thread.
    private func moment(of subject: ExportSubject) throws(StoreFault) -> ExportedMoment {
        let sealer: Sealer
        do throws(OpenSSLError) { sealer = try source.keys.sealer() } catch {
            throw .crypto(error)
        }
        let reading = source.time.reading()
        let surroundings = ExportedMoment.Surroundings(
            path: source.path, setAside: source.index.setAside, templates: source.templates,
            limits: limits, now: source.time.clock.time(at: reading),
            wall: reading.wall / 1_000)
        return try ExportedMoment(of: surroundings, subject, sealer)
    }
}

/// Engines.
extension StoreReader {
    private func engines(
        _ account: String, _ app: String?, _ owner: String?, _ database: ReaderDatabase
    ) throws(StoreFault) -> LoadAnswer {
        let name: EngineNameHashes
        do throws(OpenSSLError) {
            var hash = try SHA256()
            name = try EngineNameHashes(
                account: account, app: app, key: source.keys.endpoint, &hash)
        } catch { return .unavailable }
        return .engines(try EngineRows.find(name, owner: owner, on: database.connection))
    }
}

/// Registrations.
extension StoreReader {
    private func read(
        _ request: RegistrationQuery, _ database: ReaderDatabase
    ) throws(StoreFault) -> LoadAnswer {
        switch request {
        case .one(let id):
            return try one(
                try RegistrationRows.find(id, on: database.connection, &sealer), database)
        case .ofDevice(let device):
            let generation = source.index.registrations.generation
            let found = try RegistrationRows.find(
                device: device, on: database.connection, &sealer)
            if case .registration(let registration) = found {
                source.index.registrations.put(
                    registration, size: registration.record().count, readIn: generation)
            }
            return try one(found, database)
        case .all(let owner, let limit):
            return .registration(
                .all(
                    try RegistrationRows.list(
                        owner: owner, limit: limit, on: database.connection, &sealer)))
        case .waiting(let device):
            return .registration(.waiting(try waiting(for: device, database)))
        }
    }

    private func one(
        _ found: RegistrationRows.Found, _ database: ReaderDatabase
    ) throws(StoreFault) -> LoadAnswer {
        switch found {
        case .none: return .registration(.none)
        // The damage is ours to repair, so the caller has to try again later.
        case .damaged: return .unavailable
        case .registration(let registration):
            return .registration(
                .one(
                    registration,
                    undecryptable: try RegistrationRows.undecryptable(
                        registration.device, on: database.connection)))
        }
    }

    private func waiting(
        for device: UInt32, _ database: ReaderDatabase
    ) throws(StoreFault) -> WaitingPushes {
        var signals = try FetchSignalRows.load(device: device, on: database.connection)
        signals.expire(at: time.now)
        var messages: [Message] = []
        var request: PageRequest? = PageRequest(device: device)
        while let next = request {
            let page = try database.page(next, at: time.now, within: limits, unsealing: &sealer)
            messages += page.messages
            request = page.next
        }
        return WaitingPushes(messages: messages, signals: signals)
    }
}
