import Base
import Bus
import Notifications
import System

/// Passes the user's actions to applications: performs what `OwedActions` decides.
///
/// Only the thread of the loop uses it.
final class ActionService: TimerHandler {
    private let loop: EventLoop
    private let log: Log
    private let errands: Errands
    private var owed = OwedActions()
    private var connection: BusConnection?
    private var watches: [String: BusSubscription] = [:]
    private var timer = DeadlineTimer()
    /// Confirms to the engine of a source that the application has the action.
    private let request: (_ source: String, EngineRequest) -> Void
    /// The application that the user named for a source.
    private let service: (_ source: String) -> String?
    /// The desktop entry of a service. Looking for it may block.
    private let entry: @Sendable (_ service: String) -> DesktopEntry?

    init(
        on loop: EventLoop, log: Log, service: @escaping (_ source: String) -> String?,
        entry: @escaping @Sendable (_ service: String) -> DesktopEntry? = DesktopEntry.ofService,
        request: @escaping (_ source: String, EngineRequest) -> Void
    ) {
        self.loop = loop
        self.log = log
        errands = Errands(on: loop, limit: .seconds(2), atMost: 4)
        self.service = service
        self.entry = entry
        self.request = request
    }

    /// Sets the connection for further calls; nil for none.
    func use(_ connection: BusConnection?) {
        self.connection = connection
        watches = [:]
        if connection != nil { handle(.elapsed) }
    }

    func close() {
        use(nil)
        timer.cancel(on: loop)
    }

    /// Returns whether the message was about actions.
    func received(_ message: EngineMessage, from source: String) -> Bool {
        switch message {
        case .action(let action): handle(.told(source: source, action))
        case .actionExpired(let id): handle(.expired(.init(source, id)))
        case .done(.taken(let id)?): handle(.confirmed(.init(source, id)))
        case .error(let error):
            guard case .taken(let id) = error.mark else { return false }
            // A final error counts as a confirmation, because the engine then owes nothing.
            if error.code < 500 { handle(.confirmed(.init(source, id))) }
        default: return false
        }
        return true
    }

    func handle(_ event: OwedActions.Event) {
        let actions = owed.handle(event, at: now)
        // Watch before calling, so that an application that appears after a failed call is noticed.
        watch()
        for action in actions {
            switch action {
            case .call(let key, let action): call(key, action)
            case .taken(let key): request(key.source, .actionTaken(id: key.id))
            }
        }
        timer.set(after: owed.deadline.map { $0 - now }, on: loop, self)
    }

    /// Brings an application to the front.
    func activate(_ service: String, token: String?) {
        perform(ApplicationCall(activating: service, token: token).message) { _ in }
    }

    private func call(_ key: OwedActions.Key, _ action: OwedAction) {
        guard let service = action.service else { return call(key, action, nil) }
        errands.run { [entry] in
            entry(service)
        } done: { [weak self] entry in
            // A look-up that failed is different from a missing entry.
            guard let entry else { self?.handle(.returned(key, .failed)); return }
            self?.call(key, action, entry)
        }
    }

    private func call(_ key: OwedActions.Key, _ action: OwedAction, _ entry: DesktopEntry?) {
        guard let call = ApplicationCall(action, for: entry) else {
            return handle(.returned(key, .refused))
        }
        var message = call.message
        // A receiver must not start arbitrary programs: only applications with an entry, or the one
        // that the user chose.
        message.startsService = entry != nil || service(key.source) == call.service
        perform(message) { [weak self] outcome in
            let isToCome = outcome == .taken && !call.isComplete
            self?.handle(.returned(key, isToCome ? .woken : outcome))
        }
    }

    private func perform(
        _ message: BusMethodCall, _ done: @escaping (OwedActions.Outcome) -> Void
    ) {
        guard let connection else { return done(.failed) }
        connection.call(message) { [log] reply in
            let outcome = OwedActions.Outcome(reply)
            if outcome != .taken, case .failure(let failure) = reply {
                log.write(.warning, "application.not.told", [("error", failure.name)])
            }
            done(outcome)
        }
    }

    private func watch() {
        guard let connection else { return }
        let services = owed.services
        for name in watches.keys where !services.contains(name) { watches[name] = nil }
        for name in services where watches[name] == nil && BusName.isValid(name) {
            // This fails only on a closed connection, which is replaced soon.
            watches[name] = try? connection.watchOwner(of: name) { [weak self] _, owner in
                if owner != nil { self?.handle(.appeared(service: name)) }
            }
        }
    }

    private var now: Duration { .nanoseconds(Instant.now.nanoseconds) }

    func timerFired(_ cookie: UInt64) { handle(.elapsed) }
}

extension OwedActions.Outcome {
    fileprivate init(_ reply: BusReply) {
        switch reply {
        case .success: self = .taken
        case .failure(let failure):
            switch failure.name {
            case BusErrorName.serviceUnknown, BusErrorName.nameHasNoOwner: self = .absent
            case BusErrorName.unknownMethod, BusErrorName.unknownInterface,
                BusErrorName.unknownObject, BusErrorName.invalidArguments,
                BusErrorName.accessDenied:
                self = .refused
            default: self = .failed
            }
        }
    }
}
