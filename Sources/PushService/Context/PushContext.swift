package import Base
package import Crypto
package import HTTP
package import Mailbox
package import Reactor
import System

/// What all stages of a push share: the store, the settings, the sessions with their passes, and
/// the metrics.
package final class PushContext: Sendable {
    package let store: any MessageStore
    /// The index of `store`, kept here because every push reads it.
    package let index: StoreIndex
    package let settings: PushServiceSettings
    let metrics = Metrics()
    package let presence: DevicePresence
    let strangerPlaces: StrangerPlaces
    let failedSignatures = FailureLimiter(perSecond: 20)
    /// Requests to unknown endpoints, by the client's network.
    let strangers = FailureLimiter(perSecond: 50)
    private let endpointKey: Secret
    private let payloads = Lock<PayloadThread?>(nil)
    private let openDoors: Lock<Doors>
    private let registers = Lock<[SessionRegister]>([])

    package init(
        store: any MessageStore, endpointKey: Secret, settings: PushServiceSettings
    ) {
        self.store = store
        index = store.index
        self.endpointKey = endpointKey
        self.settings = settings
        presence = DevicePresence(in: store)
        strangerPlaces = StrangerPlaces(limit: settings.strangersPerNetwork)
        openDoors = Lock(
            Doors(
                registration: settings.registration, allowsLocalUsers: settings.allowsLocalUsers))
        index.endings.listen { [weak self] endings in
            self?.presence.forget(endings.credentials)
            let passes = Set(endings.credentials.map(Pass.credential))
            if !passes.isEmpty { self?.endSessions { passes.contains($0) } }
        }
    }

    /// The counters for the HTTP server that carries this service.
    package var figures: HTTPFigures { metrics.http }

    /// Make one for each loop.
    func makeMint() throws(OpenSSLError) -> EndpointMint { try EndpointMint(key: endpointKey) }

    /// Rarely called, so the mint is not kept.
    package func makeEndpoint() throws(OpenSSLError) -> (EndpointToken, Digest) {
        var mint = try makeMint()
        let token = try mint.make()
        return (token, try mint.digest(of: token))
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

    /// Setting this ends the sessions that would no longer be let in. Any thread may use it.
    package var doors: Doors {
        get { openDoors.withLock { $0 } }
        set {
            openDoors.withLock { $0 = newValue }
            endSessions { !newValue.admit($0) }
        }
    }

    private func endSessions(where isOver: @escaping @Sendable (Pass) -> Bool) {
        for register in registers.withLock({ $0 }) { register.end(where: isOver) }
    }

    /// Call this after the loops and the store have ended.
    package func close() {
        payloads.withLock { $0.take() }?.end()
        for register in registers.withLock({ $0 }) { register.forgetAll() }
        registers.withLock { $0 = [] }
    }
}
