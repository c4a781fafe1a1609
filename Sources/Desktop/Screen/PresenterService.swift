package import Base
package import Bus
package import Notifications
package import Pictures
package import System

/// Shows the notifications of engines: stores and performs what a `Presenter` decides.
///
/// Only the thread of the loop uses it.
package final class PresenterService: TimerHandler {
    private let loop: EventLoop
    private let log: Log
    private let store: DesktopStore
    private var presenter: Presenter
    private var bus: NotificationBus?
    private var applications: ActionService?
    private let opener: ExternalLinkOpener
    private let clipboard: Clipboard
    private var timer = DeadlineTimer()
    /// Called with requests to the engine of a source.
    package var request: (_ source: String, EngineRequest) -> Void = { _, _ in }
    /// Called with the requests of buttons.
    package var send: (ButtonRequest, @escaping (ButtonPress.State) -> Void) -> Void = { _, done in
        done(.unsent(.unreached))
    }
    /// Called for the pictures that the server of a source has.
    package var loadPicture:
        (_ source: String, _ name: String, _ then: @escaping (Picture?) -> Void) -> Void = {
            $2(nil)
        }
    /// Called with fetch signals for programs of the session.
    var fetch: (FetchCall) -> Void = { _ in }

    package init(
        _ sources: [PresentedSource], language: Language = .english, store: DesktopStore,
        bus address: BusAddress = .session, on loop: EventLoop, log: Log
    ) throws {
        self.loop = loop
        self.log = log
        self.store = store
        opener = ExternalLinkOpener(on: loop, log: log)
        clipboard = Clipboard(on: loop)
        presenter = Presenter(
            try Self.tagged(sources, by: store), language: language, history: try store.history(),
            freshKey: { String(UInt64.random(in: 0 ... .max), radix: 16) })
        bus = NotificationBus(address, on: loop, log: log) { [weak self] event in
            self?.handle(event)
        }
        let applications = ActionService(
            on: loop, log: log,
            service: { [weak self] in self?.presenter.sources[$0]?.settings.service },
            request: { [weak self] in self?.request($0, $1) })
        self.applications = applications
        bus?.connected = { [weak applications, opener, clipboard] connection in
            opener.use(connection)
            clipboard.use(connection)
            applications?.use(connection)
        }
    }

    package func start() { bus?.start() }

    private static func tagged(
        _ sources: [PresentedSource], by store: DesktopStore
    ) throws -> [PresentedSource] {
        try sources.map { source in
            var source = source
            source.tag = try store.tag(of: source.id)
            return source
        }
    }

    /// Sets the sources to show. Notifications of other sources leave the screen.
    func use(_ sources: [PresentedSource]) {
        // Without memory for a tag they are shown without one.
        let sources = (try? Self.tagged(sources, by: store)) ?? sources
        let ended = Set(presenter.sources.keys).subtracting(sources.map(\.id))
        for source in ended.sorted() {
            applications?.handle(.sourceEnded(source))
            handle(.sourceEnded(source))
        }
        for source in sources where presenter.sources[source.id]?.settings != source {
            handle(.sourceBegan(source))
        }
    }

    package func close() {
        applications?.close()
        bus?.close()
        bus = nil
        timer.cancel(on: loop)
    }

    /// Handles one update or answer of an engine.
    package func received(_ text: [UInt8], from source: String) {
        guard let node = try? JSONDocument(text).root, let message = EngineMessage(node) else {
            return
        }
        switch message {
        case .fetch(let notice):
            if let signal = FetchCall(notice, from: source) { fetch(signal) }
        case .error(let error) where error.isEndOfAccount: accountIsGone(source)
        default:
            if applications?.received(message, from: source) == true { return }
            if let update = message.update { handle(.update(source: source, update)) }
        }
    }

    /// The engine of a source will send its whole state.
    func joined(_ source: String) {
        applications?.handle(.joined(source))
        handle(.joined(source))
    }

    /// The account no longer exists.
    package func accountIsGone(_ source: String) {
        applications?.handle(.sourceEnded(source))
        handle(.accountEnded(source))
    }

    /// The application has the fetch signal.
    func fetched(_ signal: FetchCall) {
        if let id = signal.id { request(signal.source, .signalTaken(id: id)) }
    }

    private var now: Duration { .nanoseconds(Instant.now.nanoseconds) }

    private func handle(_ event: PresenterEvent) {
        let actions = presenter.handle(event, at: now)
        let isKept = keep(actions)
        for action in actions { perform(action, isKept: isKept) }
        timer.set(after: presenter.deadline(at: now).map { $0 - now }, on: loop, self)
    }

    /// Stores before any call leaves, so that the next process knows what was running at a crash.
    private func keep(_ actions: [PresenterAction]) -> Bool {
        var kept: [ShownKey: ShownRecord] = [:]
        var forgotten: Set<ShownKey> = []
        for action in actions {
            switch action {
            case .keep(let record):
                kept[record.key] = record
                forgotten.remove(record.key)
            case .forget(let key):
                kept[key] = nil
                forgotten.insert(key)
            default: break
            }
        }
        guard !kept.isEmpty || !forgotten.isEmpty else { return true }
        do {
            try store.commit(
                kept: kept.values.sorted { $0.key < $1.key }, forgotten: forgotten.sorted())
            return true
        } catch {
            // A notification shown twice is better than one not shown.
            log.write(.error, "notifications.not.kept", [("reason", "\(error)")])
            return false
        }
    }

    private func forgetHighest(of source: String) {
        do {
            try store.forgetHighest(of: source)
        } catch {
            // Low ids of a new account with this name then count as seen and do not come up.
            log.write(.error, "notifications.not.forgotten", [("reason", "\(error)")])
        }
    }

    private func perform(_ action: PresenterAction, isKept: Bool) {
        switch action {
        case .keep, .forget: break
        case .forgetHighest(let source): forgetHighest(of: source)
        case .startServer: bus?.startServer()
        case .notify(let ticket, let call): bus?.notify(ticket, call)
        case .close(let key, let id): bus?.close(key, id)
        case .request(let source, let request): self.request(source, request)
        case .activate(let service, let token): applications?.activate(service, token: token)
        case .open(let link, let choice, let token):
            if let choice { applications?.handle(.performed(choice)) }
            opener.open(link, token: token)
        case .send(let key, let press, let request):
            // What the next process would not know of is not sent.
            guard isKept else { return handle(.pressEnded(key, press, .unsent(.unnoted))) }
            send(request) { [weak self] in self?.handle(.pressEnded(key, press, $0)) }
        case .copy(let key, let press, let text):
            clipboard.put(text) { [weak self] hasRun in
                self?.handle(.pressEnded(key, press, hasRun ? .copied : .uncopied))
            }
        case .badge(let entry, let count): bus?.badge(entry, count)
        case .fetchPicture(let key, let name):
            loadPicture(key.source, name) { [weak self] picture in
                if let picture { self?.handle(.pictureCame(key, name: name, picture)) }
            }
        }
    }

    package func timerFired(_ cookie: UInt64) { handle(.elapsed) }
}

extension FetchCall {
    /// Nil for what no program of the session has to fetch.
    init?(_ notice: FetchNotice, from source: String) {
        guard let service = notice.service else { return nil }
        self.init(
            source: source, id: notice.id, count: notice.count, service: service,
            version: notice.version.flatMap { UInt64($0) } ?? UInt64(WallClock.now))
    }
}
