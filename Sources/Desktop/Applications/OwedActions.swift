import Base
import Notifications

/// User actions that applications do not have yet.
///
/// It is pure state, without bus, socket or clock. Each application has a queue with one call at a
/// time. If it does not answer, it is called again after a pause; if it is not running, it is
/// called when it appears.
struct OwedActions: Sendable {
    struct Key: Hashable, Sendable {
        let source: String
        let id: String

        init(_ source: String, _ id: String) {
            self.source = source
            self.id = id
        }
    }

    enum Event: Equatable, Sendable {
        case told(source: String, OwedAction)
        /// The action is too old.
        case expired(Key)
        /// The engine starts over and will repeat every action that is still owed.
        case joined(String)
        case sourceEnded(String)
        /// The desktop performed the action instead of the application.
        case performed(Choice)
        case returned(Key, Outcome)
        /// The engine has recorded that the action was taken.
        case confirmed(Key)
        case appeared(service: String)
        /// A deadline has passed.
        case elapsed
    }

    enum Outcome: Equatable, Sendable {
        case taken
        /// The application runs, and the engine will tell it.
        case woken
        /// The application does not run and cannot be started.
        case absent
        /// It ended, or does not answer.
        case failed
        case refused
    }

    enum Action: Equatable, Sendable {
        case call(Key, OwedAction)
        case taken(Key)
    }

    private enum Phase: Sendable {
        case waiting
        case calling
        /// Waits until the engine starts over or the application appears.
        case resting
        /// Done here; the application gets the rest from the engine.
        case told
        /// Waits for the engine's confirmation.
        case taken
    }

    private struct Item: Sendable {
        var owed: OwedAction
        var phase = Phase.waiting
        /// The engine has started over and has not repeated the action yet.
        var isOld = false
    }

    private struct Application: Sendable {
        var queue = ApplicationQueue<Key>()
        var isCalled = false
        /// The application does not run and cannot be started.
        var isAbsent = false
    }

    private static let performedLimit = 32

    private var items: [Key: Item] = [:]
    private var applications: [String: Application] = [:]
    /// The running calls, with the applications called.
    private var calls: [Key: String] = [:]
    private var performed: [Choice] = []
    private var actions: [Action] = []

    /// The applications that have actions waiting.
    var services: Set<String> { Set(applications.keys) }

    /// When to call `handle` with `.elapsed`.
    var deadline: Duration? {
        applications.values.lazy.filter { !$0.isCalled && !$0.isAbsent && !$0.queue.items.isEmpty }
            .compactMap(\.queue.pause.end).min()
    }

    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .told(let source, let owed): told(Key(source, owed.id), owed, now)
        case .expired(let key), .confirmed(let key): forget(key)
        case .joined(let source): joined(source)
        case .sourceEnded(let source):
            for key in items.keys where key.source == source { forget(key) }
        case .performed(let choice):
            performed.append(choice)
            if performed.count > Self.performedLimit { performed.removeFirst() }
        case .returned(let key, let outcome): returned(key, outcome, now)
        case .appeared(let service): appeared(service, now)
        case .elapsed: break
        }
        for service in applications.keys.sorted() { advance(service, now) }
        defer { actions = [] }
        return actions
    }

    private mutating func told(_ key: Key, _ owed: OwedAction, _ now: Duration) {
        items[key]?.isOld = false
        let choice = Choice(
            source: key.source, chat: owed.chat, message: owed.message, action: owed.action)
        if let index = performed.firstIndex(of: choice) {
            performed.remove(at: index)
            items[key] = Item(owed: owed, phase: .taken)
        }
        switch items[key]?.phase {
        case .taken: return actions.append(.taken(key))
        case .waiting, .calling, .told: return
        case .resting, nil: break
        }
        guard let service = owed.service else { return }
        items[key] = Item(owed: owed)
        var application = applications[service] ?? Application()
        application.queue.items.append(key)
        // A new action is a reason for another attempt.
        application.isAbsent = false
        application.queue.pause.shorten(at: now)
        applications[service] = application
    }

    private mutating func joined(_ source: String) {
        for (key, item) in items where key.source == source {
            switch item.phase {
            case .waiting, .resting: forget(key)
            case .calling: break
            case .told, .taken:
                if item.isOld { forget(key) } else { items[key]?.isOld = true }
            }
        }
    }

    private mutating func forget(_ key: Key) {
        guard let item = items.removeValue(forKey: key), let service = item.owed.service else {
            return
        }
        applications[service]?.queue.items.removeAll { $0 == key }
    }

    private mutating func returned(_ key: Key, _ outcome: Outcome, _ now: Duration) {
        guard let service = calls.removeValue(forKey: key), var application = applications[service]
        else { return }
        application.isCalled = false
        let isOwed = items[key] != nil
        switch outcome {
        case .taken:
            application.queue.pause.reset()
            items[key]?.phase = .taken
            if isOwed { actions.append(.taken(key)) }
        case .woken, .refused:
            application.queue.pause.reset()
            items[key]?.phase = outcome == .woken ? .told : .resting
        case .absent, .failed:
            application.isAbsent = outcome == .absent
            application.queue.pause.begin(at: now)
            items[key]?.phase = .waiting
            if isOwed { application.queue.putBack(key) }
        }
        applications[service] = application
    }

    /// The application started, by itself or because of a call.
    private mutating func appeared(_ service: String, _ now: Duration) {
        guard applications[service]?.isCalled == false else { return }
        applications[service]?.isAbsent = false
        applications[service]?.queue.pause.lift()
        for key in items.keys.sorted() {
            guard items[key]?.phase == .resting, items[key]?.owed.service == service else {
                continue
            }
            items[key]?.phase = .waiting
            applications[service]?.queue.items.append(key)
        }
    }

    private mutating func advance(_ service: String, _ now: Duration) {
        guard var application = applications[service], !application.isCalled else { return }
        if !application.queue.items.isEmpty {
            guard !application.isAbsent, let key = application.queue.next(at: now) else { return }
            guard let owed = items[key]?.owed else {
                // The action is gone, and the next one may be called.
                applications[service] = application
                return advance(service, now)
            }
            application.isCalled = true
            applications[service] = application
            items[key]?.phase = .calling
            calls[key] = service
            return actions.append(.call(key, owed))
        }
        let rests = items.values.contains { $0.owed.service == service && $0.phase == .resting }
        if !rests { applications[service] = nil }
    }
}

extension OwedActions.Key: Comparable {
    /// Compares the engine's ids as numbers: a longer number is a higher one.
    static func < (left: Self, right: Self) -> Bool {
        (left.source, left.id.utf8.count, left.id) < (right.source, right.id.utf8.count, right.id)
    }
}
