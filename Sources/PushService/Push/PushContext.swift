package import Base
import Crypto
package import HTTP
package import Mailbox
package import Reactor
import System

/// The push service of a server: one desk and one handler on each of its loops.
///
/// Made before the loops run; `handler` is called once for each of them.
package final class PushContext: Sendable {
    let store: any MessageStore
    /// Of the store, which is asked for it at every push.
    let index: StoreIndex
    let settings: PushServiceSettings
    let directory = SessionDirectory()
    let metrics = Metrics()
    let strangerPlaces: StrangerPlaces
    let failedSignatures = FailureLimiter(perSecond: 20)
    /// Unknown endpoints, by who asks for them.
    let strangers = FailureLimiter(perSecond: 50)
    private let endpointKey: Secret
    private let desks = Lock<[DeliveryDesk]>([])
    private let payloads = Lock<PayloadThread?>(nil)
    private let openDoors: Lock<Doors>
    private let engineDesks = Lock<[EngineDesk]>([])
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
        index.endings.listen { [weak self] in self?.end($0) }
    }

    /// For the server that carries this service.
    package var figures: HTTPFigures { metrics.http }

    /// Seldom asked for, so nothing is kept ready for it.
    func makeEndpoint() throws(OpenSSLError) -> (EndpointToken, Digest) {
        var mint = try EndpointMint(key: endpointKey)
        let token = try mint.make()
        return (token, try mint.digest(of: token))
    }

    /// Nil for a program on this machine.
    func strangerNumber(_ network: UInt64?) throws(OpenSSLError) -> StrangerNumber {
        guard let network else { return .local }
        return try StrangerNumber(network: network, key: endpointKey)
    }

    /// What to call `registerDevice` with, as callbacks are told.
    var describe: @Sendable (Registration) -> String {
        { [settings] registration in
            RegistrationReport(settings: settings).parameters(of: registration)
        }
    }

    /// For the clients of engines on a loop.
    func engines(on loop: EventLoop) -> EngineDesk {
        let desk = EngineDesk(on: loop, self)
        engineDesks.withLock { $0.append(desk) }
        return desk
    }

    func api(on loop: EventLoop, _ engines: EngineDesk) -> APIRoutes {
        APIRoutes(
            RegistrationRoutes(self, StoreDialogue(on: loop, store)), EngineAdmission(engines))
    }

    package func handler(on loop: EventLoop) throws -> any HTTPHandler {
        if payloads.withLock({ $0 == nil }) {
            let thread = try PayloadThread()
            payloads.withLock { $0 = thread }
        }
        let desk = DeliveryDesk(on: loop, self, try EndpointMint(key: endpointKey))
        desks.withLock { $0.append(desk) }
        return ServiceHandler(
            self, desk, try PushIntake(self, desk),
            api(on: loop, engines(on: loop)))
    }

    /// On a thread of its own. From any thread.
    func read(
        _ job: PayloadReader.Job, then: @escaping @Sendable (PayloadReader.Outcome) -> Void
    ) {
        payloads.withLock { $0 }?.read(job, then: then)
    }

    /// Of a loop; one for all that is spoken there.
    func sessions(on loop: EventLoop) -> SessionRegister {
        registers.withLock { registers in
            if let known = registers.first(where: { $0.loop === loop }) { return known }
            let made = SessionRegister(on: loop)
            registers.append(made)
            return made
        }
    }

    /// Whoever is connected by what has ended goes. From any thread.
    private func end(_ endings: Endings) {
        let passes = Set(endings.credentials.map(Pass.credential))
        if !passes.isEmpty { endSessions { passes.contains($0) } }
        guard !endings.devices.isEmpty else { return }
        for desk in desks.withLock({ $0 }) { desk.loop.post { desk.end(endings.devices) } }
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

    /// Why somebody who was let in may do no more; nil as long as he may. From any thread.
    func objection(to caller: APICaller) -> ControlRefusal? {
        if let secret = caller.secret {
            return index.credential(secret) == nil ? .unauthorized : nil
        }
        return doors.admit(caller.pass) ? nil : .notAllowed
    }

    /// Once loops and store have ended: nobody waits for an answer any more.
    package func close() {
        payloads.withLock { $0.take() }?.end()
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
        for desk in engineDesks.withLock({ $0 }) { desk.forgetAll() }
        engineDesks.withLock { $0 = [] }
        for register in registers.withLock({ $0 }) { register.forgetAll() }
        registers.withLock { $0 = [] }
    }
}
