package import Base
package import Crypto
package import HTTP
package import Mailbox
package import Reactor
import System

/// What all stages of a push know together: the store, what was decided, who is here by what right,
/// and what is counted.
package final class PushContext: Sendable {
    package let store: any MessageStore
    /// Of the store, which is asked for it at every push.
    package let index: StoreIndex
    package let settings: PushServiceSettings
    let metrics = Metrics()
    let strangerPlaces: StrangerPlaces
    let failedSignatures = FailureLimiter(perSecond: 20)
    /// Unknown endpoints, by who asks for them.
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
        strangerPlaces = StrangerPlaces(limit: settings.strangersPerNetwork)
        openDoors = Lock(
            Doors(
                registration: settings.registration, allowsLocalUsers: settings.allowsLocalUsers))
        index.endings.listen { [weak self] endings in
            let passes = Set(endings.credentials.map(Pass.credential))
            if !passes.isEmpty { self?.endSessions { passes.contains($0) } }
        }
    }

    /// For the server that carries this service.
    package var figures: HTTPFigures { metrics.http }

    /// One for each loop.
    func makeMint() throws(OpenSSLError) -> EndpointMint { try EndpointMint(key: endpointKey) }

    /// Seldom asked for, so nothing is kept ready for it.
    package func makeEndpoint() throws(OpenSSLError) -> (EndpointToken, Digest) {
        var mint = try makeMint()
        let token = try mint.make()
        return (token, try mint.digest(of: token))
    }

    /// Nil for a program on this machine.
    func strangerNumber(_ network: UInt64?) throws(OpenSSLError) -> StrangerNumber {
        guard let network else { return .local }
        return try StrangerNumber(network: network, key: endpointKey)
    }

    /// Before the loops run.
    func startReading() throws {
        guard payloads.withLock({ $0 == nil }) else { return }
        let thread = try PayloadThread()
        payloads.withLock { $0 = thread }
    }

    /// On a thread of its own. From any thread.
    func read(
        _ job: PayloadReader.Job, then: @escaping @Sendable (PayloadReader.Outcome) -> Void
    ) {
        payloads.withLock { $0 }?.read(job, then: then)
    }

    /// Of a loop; one for all that is spoken there.
    package func sessions(on loop: EventLoop) -> SessionRegister {
        registers.withLock { registers in
            if let known = registers.first(where: { $0.loop === loop }) { return known }
            let made = SessionRegister(on: loop)
            registers.append(made)
            return made
        }
    }

    /// Whoever is here and could not come in any more goes. From any thread.
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

    /// Once loops and store have ended.
    package func close() {
        payloads.withLock { $0.take() }?.end()
        for register in registers.withLock({ $0 }) { register.forgetAll() }
        registers.withLock { $0 = [] }
    }
}
