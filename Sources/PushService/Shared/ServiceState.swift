package import Base
package import Crypto
package import HTTP
package import Mailbox
package import System
package import WebPush

/// What all stages of a push share: the store, the settings, the sessions with their passes, and
/// the metrics.
package final class ServiceState: Sendable {
    package let store: any MessageStore
    /// The index of `store`, kept here because every push reads it.
    package let index: StoreIndex
    /// The time of day, in seconds since 1970.
    package let now: @Sendable () -> Double
    /// The beginning of every `Location` field.
    let locationStart: [UInt8]
    /// Where refusals say that they are explained.
    package let errorPage: ErrorPage
    let userAgentPace: PaceLimit
    let onUndecryptable: @Sendable (_ registration: String, _ reason: String) -> Void
    private let onUnheard: @Sendable (_ registration: String) -> Void
    let metrics = Metrics()
    /// What happened last, for people who look at the server.
    package let events = EventLog()
    package let lastPushes = LastPushes()
    package let refusedSenders = RefusedSenders()
    /// When it was last said that nobody sees a registration's pushes.
    private let unheard = LastPushes()
    package let presence: DevicePresence
    package let clients = ConnectedClients()
    let strangerPlaces: StrangerPlaces
    let failedSignatures = FailureLimiter(perSecond: 20)
    /// Requests to what does not exist, by the client's network.
    private let strangers = FailureLimiter(perSecond: 50)
    private let endpointKey: Secret
    private let inForce: Lock<PushServiceSettings>
    private let followers = Lock<[SettingsFollower]>([])
    private let payloads = Lock<PayloadThread?>(nil)
    private let admissionInForce: Lock<AdmissionRules>
    private let historyInForce: Lock<HistoryRules>
    private let registers = Lock<[SessionRegister]>([])

    package init(
        store: any MessageStore, endpointKey: Secret, settings: PushServiceSettings
    ) {
        self.store = store
        index = store.index
        self.endpointKey = endpointKey
        presence = DevicePresence(in: store)
        inForce = Lock(settings)
        now = settings.now
        locationStart = settings.locationStart
        errorPage = settings.errorPage
        userAgentPace = settings.userAgentPace
        onUndecryptable = settings.onUndecryptable
        onUnheard = settings.onUnheard
        strangerPlaces = StrangerPlaces(limit: settings.strangersPerNetwork)
        admissionInForce = Lock(settings.admission)
        historyInForce = Lock(settings.history)
        index.endings.listen { [weak self] endings in
            self?.presence.forget(endings.credentials)
            self?.lastPushes.forget(endings.devices)
            self?.refusedSenders.forget(endings.devices)
            self?.unheard.forget(endings.devices)
            let passes = Set(endings.credentials.map(Pass.credential))
            if !passes.isEmpty { self?.endSessions { passes.contains($0) } }
        }
    }

    /// The counters for the HTTP server that carries this service.
    package var figures: HTTPFigures { metrics.http }

    /// Zero stands for an unknown device.
    func count(_ refusal: PushRefusal, to device: UInt32) {
        metrics.count(refusal)
        record(
            ServerEvent(.refused, status: refusal.status, word: refusal.word, device: device))
    }

    func countAccepted(_ device: UInt32) {
        metrics.noteAccepted()
        record(ServerEvent(.accepted, device: device))
    }

    /// A registration got a push of the server itself.
    package func recordTest(of device: UInt32) {
        lastPushes.note(device, at: Int64(now() * 1_000))
        record(ServerEvent(.accepted, device: device))
    }

    /// Counts what a client of the engine got at once. An address that only a screen shows is of no
    /// use without one, so somebody is told.
    func noteShown(_ registration: Registration) {
        if index.engines.hasListeners(registration.engine) {
            metrics.noteShown()
        } else if index.engines.isUnheard(registration) {
            noteUnheard(registration)
        }
    }

    /// For how many seconds the topic or the account keeps its messages.
    package func historyLifetime(of registration: Registration) -> UInt32 {
        registration.terms.topic.lifetime ?? history.lifetime
    }

    package func keepsMessages(of registration: Registration) -> Bool {
        (registration.terms.isOnlyShown || history.hasAccounts)
            && historyLifetime(of: registration) > 0
    }

    /// What holds for topics whose owner has not said it.
    var history: HistoryRules { historyInForce.withLock { $0 } }

    /// Says at most once an hour that a push was accepted which nobody sees.
    private func noteUnheard(_ registration: Registration) {
        let now = Int64(now() * 1_000)
        let last = unheard[registration.device]
        guard last.map({ abs(now - $0) >= Self.unheardInterval }) ?? true else { return }
        unheard.note(registration.device, at: now)
        onUnheard(registration.id.text)
    }

    /// In milliseconds.
    private static let unheardInterval: Int64 = 3_600_000

    /// The time is for people, so it is that of the machine.
    func record(_ event: ServerEvent) { events.add(event.at(Int64(WallClock.now * 1_000))) }

    /// Make one for each loop.
    func makeMint() throws(OpenSSLError) -> EndpointMint { try EndpointMint(key: endpointKey) }

    /// Make one for each loop.
    func makeTopicNamer() throws(OpenSSLError) -> TopicNamer { try TopicNamer(key: endpointKey) }

    /// Make one for each loop.
    func makeForwardMarker() throws(OpenSSLError) -> ForwardMarker {
        try ForwardMarker(key: endpointKey)
    }

    /// The key by which forwards are signed. It is as old as the installation, in every backup of it,
    /// and the same at all nodes of a cluster, because it belongs to another key that is.
    package func forwardKey(_ number: UInt8) throws(OpenSSLError) -> PrivateKey {
        try PrivateKey.derived(from: endpointKey, "VAPID", number: number)
    }

    /// Rarely called, so the mint is not kept.
    package func makeEndpoint() throws(OpenSSLError) -> (EndpointToken, Digest) {
        var mint = try makeMint()
        let token = try mint.make()
        return (token, try mint.digest(of: token))
    }

    /// Counts what a client asked for that is not there. True if it has tried too many.
    func isGuessing(_ client: IPAddress?) -> Bool {
        let second = Int64(now())
        let network = client?.network ?? 0
        guard !strangers.isExhausted(network, second: second) else { return true }
        strangers.count(network, second: second)
        return false
    }

    /// `.local` for a program on this machine, which has no network.
    func strangerNumber(_ network: UInt64?) throws(OpenSSLError) -> StrangerNumber {
        guard let network else { return .local }
        return try StrangerNumber(network: network, key: endpointKey)
    }

    /// Call this before the loops run.
    func startReading() throws {
        guard payloads.withLock({ $0 == nil }) else { return }
        let thread = try PayloadThread()
        payloads.withLock { $0 = thread }
    }

    /// Decrypts on a thread of its own. Any thread may call it.
    func read(
        _ job: PayloadReader.Job, then: @escaping @Sendable (PayloadReader.Outcome) -> Void
    ) {
        payloads.withLock { $0 }?.read(job, then: then)
    }

    /// The register of this loop, shared by all protocols.
    package func sessions(on loop: EventLoop) -> SessionRegister {
        registers.withLock { registers in
            if let known = registers.first(where: { $0.loop === loop }) { return known }
            let made = SessionRegister(on: loop, presence)
            registers.append(made)
            return made
        }
    }

    /// Whom the settings let in. Any thread may use it.
    package var admission: AdmissionRules { admissionInForce.withLock { $0 } }

    private func endSessions(where isOver: @escaping @Sendable (Pass) -> Bool) {
        for register in registers.withLock({ $0 }) { register.end(where: isOver) }
    }

    /// Call this after the loops and the store have ended.
    package func close() {
        payloads.withLock { $0.take() }?.end()
        followers.withLock { $0 = [] }
        for register in registers.withLock({ $0 }) { register.forgetAll() }
        registers.withLock { $0 = [] }
    }
}

/// Settings that a reload of the configuration replaces.
extension ServiceState {
    /// The settings in force. This takes a lock and copies them, so a loop keeps what it needs for
    /// each push, and follows the changes. Any thread may use it.
    package var settings: PushServiceSettings { inForce.withLock { $0 } }

    /// The origins under which the server is reached. Any thread may use it.
    var origins: [Origin] { inForce.withLock { $0.origins } }

    /// Replaces the settings as a whole, and ends the sessions that would no longer be let in.
    /// `now` and what was read once stay as they are. Any thread may call it.
    package func use(_ settings: PushServiceSettings) {
        inForce.withLock { $0 = settings }
        let (admission, history) = (settings.admission, settings.history)
        admissionInForce.withLock { $0 = admission }
        historyInForce.withLock { $0 = history }
        endSessions { !admission.admit($0) }
        for follower in followers.withLock({ $0 }) { follower.tell(settings) }
    }

    /// Calls `change` on the loop after each change of the settings. Call this before the loop
    /// runs.
    func follow(on loop: EventLoop, _ change: @escaping (PushServiceSettings) -> Void) {
        followers.withLock { $0.append(SettingsFollower(loop: loop, change: change)) }
    }
}

/// A part of a loop that keeps some of the settings.
// Unchecked: `change` is called on the loop's thread only.
private struct SettingsFollower: @unchecked Sendable {
    let loop: EventLoop
    let change: (PushServiceSettings) -> Void

    func tell(_ settings: PushServiceSettings) {
        loop.post { change(settings) }
    }
}

extension ServiceState {
    package var serverFigures: ServerFigures {
        let refusals = metrics.refusals.sorted { $0.count > $1.count }.map { word, count in
            ServerFigures.Refusals(
                word: word, status: ServerFigures.status(of: word),
                number: ServerFigures.number(of: word), count: count)
        }
        return ServerFigures(
            began: Int(metrics.began), accepted: metrics.acceptedCount,
            repeated: metrics.repeatedCount, delivered: metrics.deliveredCount,
            acknowledged: metrics.acknowledgedCount, shown: metrics.shownCount,
            userAgents: metrics.userAgentCount, clients: clients.count,
            durationBounds: DurationHistogram.bounds, durationSums: metrics.durations.sums,
            refusals: refusals,
            unreadable: metrics.undecryptableReasons.sorted { $0.count > $1.count })
    }
}

/// Asks the store from a loop, and gets the answers there.
// Unchecked: its state is used only on the loop's thread, to which the store's answers are posted.
package final class StoreDialogue: StoreSink, @unchecked Sendable {
    private let loop: EventLoop
    private let store: any MessageStore
    private var outcomes: [UInt64: (StoreOutcome) -> Void] = [:]
    private var answers: [UInt64: (LoadAnswer) -> Void] = [:]
    private var ticket: UInt64 = 0

    package init(on loop: EventLoop, _ store: any MessageStore) {
        self.loop = loop
        self.store = store
    }

    package func submit(_ operation: StoreOperation, then: @escaping (StoreOutcome) -> Void) {
        ticket += 1
        outcomes[ticket] = then
        store.submit(operation, ticket: ticket, to: self)
    }

    package func load(_ request: LoadRequest, then: @escaping (LoadAnswer) -> Void) {
        ticket += 1
        answers[ticket] = then
        store.load(request, ticket: ticket, to: self)
    }

    /// Call this after the loop has ended, when no more answers come.
    package func forgetAll() {
        outcomes = [:]
        answers = [:]
    }

    package func completed(_ completions: [CompletedOperation]) {
        loop.post {
            for completion in completions {
                self.outcomes.removeValue(forKey: completion.ticket)?(completion.outcome)
            }
        }
    }

    package func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        loop.post { self.answers.removeValue(forKey: ticket)?(answer) }
    }
}
