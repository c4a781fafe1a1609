import Base
import Mailbox
import Notifications
import Reactor

/// The clients of engines that are connected to one loop.
///
/// What they ask goes to the store, which does it and keeps it; what an engine tells comes back by
/// `hear`, in the order in which it was kept, and is written once for all of its clients here.
/// Confined to its loop.
// Unchecked: touched by the thread of the loop alone.
final class EngineDesk: @unchecked Sendable {
    /// With more requests that are not answered a client has to wait.
    private static let requestLimit = 1_000
    /// How often it is noted that clients are there.
    private static let noteInterval = Interval(.seconds(6 * 3_600))
    private static let noteCookie: UInt64 = 1 << 32

    private final class Place {
        let client: any EngineClient
        /// It has been told what it begins with.
        var isWelcome = false
        var requests = 0

        init(_ client: any EngineClient) { self.client = client }
    }

    private struct Table {
        var places: [UInt64: Place] = [:]
        var timer: TimerID?
        var noteTimer: TimerID?
    }

    let service: PushService
    private let loop: EventLoop
    private let dialogue: StoreDialogue
    @exclusivity(unchecked) private var tables: [UInt32: Table] = [:]

    init(on loop: EventLoop, _ service: PushService) {
        self.loop = loop
        self.service = service
        dialogue = StoreDialogue(on: loop, service.store)
    }

    private var index: EngineIndex { service.index.engines }

    /// The engine of an account that the caller may use.
    func find(
        account: String?, app: String?, _ caller: APICaller,
        _ reply: @escaping (Result<UInt32, ControlRefusal>) -> Void
    ) {
        guard let account, !account.isEmpty else {
            return reply(.failure(.badBody("account is needed")))
        }
        let owner = caller.isAdministrator ? nil : caller.owner
        dialogue.load(.engines(account: account, app: app, owner: owner)) { answer in
            guard case .engines(let found) = answer else { return reply(.failure(.unavailable)) }
            // An administrator's own come first.
            let own = found.filter { $0.owner == caller.owner }
            let candidates = own.isEmpty ? found : own
            guard let first = candidates.first else { return reply(.failure(.unknown)) }
            reply(
                candidates.count == 1
                    ? .success(first.row)
                    : .failure(.badBody("several applications have that account: name the app")))
        }
    }

    func join(_ client: any EngineClient, engine: UInt32) -> EngineClientID {
        let id = EngineClientID(engine: engine, number: index.nextClient())
        if tables[engine] == nil {
            index.listen(self, to: engine)
            tables[engine] = Table()
            setNoteTimer(engine)
        }
        tables[engine]?.places[id.number] = Place(client)
        submitJoin(id)
        return id
    }

    private func submitJoin(_ id: EngineClientID) {
        dialogue.submit(.engine(.join(id))) { [self] outcome in
            // Whoever comes again later finds it.
            if outcome != .done { tables[id.engine]?.places[id.number]?.client.end() }
        }
    }

    func leave(_ id: EngineClientID) {
        tables[id.engine]?.places[id.number] = nil
        if tables[id.engine]?.places.isEmpty == true { clear(id.engine) }
    }

    private func clear(_ engine: UInt32) {
        guard let table = tables.removeValue(forKey: engine) else { return }
        index.stopListening(self, to: engine, at: service.store.clock.now)
        for timer in [table.timer, table.noteTimer].compactMap(\.self) { loop.cancel(timer) }
    }

    /// After the end of the loop, when no other thread knows the desk: what waits refers to it.
    func forgetAll() {
        for engine in tables.keys {
            index.stopListening(self, to: engine, at: service.store.clock.now)
        }
        tables = [:]
        dialogue.forgetAll()
    }

    func received(_ text: [UInt8], from id: EngineClientID) {
        guard let place = tables[id.engine]?.places[id.number] else { return }
        let request = try? JSONDocument(text).root
        let extra = request?["@extra"]
        // It is the client that ends: others go on with the engine.
        if request?["@type"]?.text == "close" {
            place.client.say([Outcome.ok.answer(extra: extra)])
            return place.client.end()
        }
        guard place.requests < Self.requestLimit else {
            return place.client.say([Self.tooMany.answer(extra: extra)])
        }
        place.requests += 1
        dialogue.submit(.engine(.request(id, text))) { outcome in
            place.requests -= 1
            guard outcome != .done else { return }
            place.client.say([Self.unavailable.answer(extra: extra)])
        }
    }

    private static let tooMany = Outcome.error(
        code: 429, message: "Too Many Requests: retry after 1")
    private static let ended = Outcome.error(
        code: 404, message: "Not Found: the account has no registration any more")
    private static let unavailable = Outcome.error(
        code: 503, message: "The store does not answer; try again later")
}

extension EngineDesk: EngineListener {
    func hear(_ news: [EngineNews]) {
        loop.post { for item in news { self.take(item) } }
    }

    /// Everybody begins anew, in case something was kept that nobody was told of.
    func storeReturned() {
        loop.post {
            for (engine, table) in self.tables {
                for (number, place) in table.places where place.isWelcome {
                    place.isWelcome = false
                    self.submitJoin(EngineClientID(engine: engine, number: number))
                }
            }
        }
    }

    private func take(_ news: EngineNews) {
        let engine = news.engine
        guard let table = tables[engine] else { return }
        switch news.content {
        case .updates(let updates): say(Self.texts(updates), to: table)
        case .answer(let answer, let client): table.places[client]?.client.say([answer])
        case .welcome(let updates, let client):
            guard let place = table.places[client] else { return }
            place.isWelcome = true
            place.client.say(Self.texts(updates))
        case .signal(let signal, let device, let registration, let service):
            guard say(Self.texts(of: signal, registration, service), to: table) else { return }
            dialogue.submit(.engine(.confirm(signal.id, device: device, engine: engine))) { _ in }
        case .deadline(let deadline): setTimer(deadline, engine)
        case .ended:
            for place in table.places.values {
                place.client.say([Self.ended.answer()])
                place.client.end()
            }
        }
    }

    /// Whether anybody heard it.
    @discardableResult
    private func say(_ objects: [[UInt8]], to table: Table) -> Bool {
        let places = table.places.values.filter(\.isWelcome)
        for place in places { place.client.say(objects) }
        return !places.isEmpty
    }

    private static func texts(_ updates: [Update]) -> [[UInt8]] {
        var writer = JSONWriter(capacity: 1_024)
        var texts: [[UInt8]] = []
        texts.reserveCapacity(updates.count)
        for update in updates {
            writer.removeAll()
            update.write(to: &writer)
            texts.append(writer.bytes)
        }
        return texts
    }

    private static func texts(
        of signal: FetchSignal, _ registration: RegistrationID, _ service: String?
    ) -> [[UInt8]] {
        var details = [
            Update.Detail("registration", source: JSONText.quoted(registration.text)),
            Update.Detail("count", source: "\(signal.count)"),
        ]
        if let version = signal.version {
            details.append(Update.Detail("version", source: "\"\(version)\""))
        }
        if let service {
            details.append(Update.Detail("service", source: JSONText.quoted(service)))
        }
        return texts([.fetchRequired(reason: "signal", details: details)])
    }
}

extension EngineDesk: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        let engine = UInt32(truncatingIfNeeded: cookie)
        guard tables[engine] != nil else { return }
        if cookie & Self.noteCookie != 0 {
            dialogue.submit(.engine(.note(engine: engine))) { _ in }
            return setNoteTimer(engine)
        }
        tables[engine]?.timer = nil
        // What the store cannot do now is done when it is back.
        dialogue.submit(.engine(.advance(engine: engine))) { _ in }
    }

    private func setNoteTimer(_ engine: UInt32) {
        tables[engine]?.noteTimer = loop.schedule(
            after: Self.noteInterval, self, cookie: Self.noteCookie | UInt64(engine))
    }

    private func setTimer(_ deadline: Double?, _ engine: UInt32) {
        if let timer = tables[engine]?.timer { loop.cancel(timer) }
        tables[engine]?.timer = nil
        guard let deadline else { return }
        let rest = min(max(deadline - service.settings.now(), 0), 86_400)
        tables[engine]?.timer = loop.schedule(
            after: Interval(.milliseconds(Int64(rest * 1_000) + 1)), self, cookie: UInt64(engine))
    }
}
