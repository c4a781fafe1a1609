package import Bus
package import Reactor
package import System
package import TLS

/// What a session has of Bellwire: applications register on its bus, and messages come to them over
/// the link to the receivers. Confined to the thread of its loop, once that runs.
// Unchecked: it is prepared before the loop runs, and then touched on its thread alone.
package final class DesktopService: TimerHandler, @unchecked Sendable {
    package static let busName = "org.unifiedpush.Distributor.bellwire"
    /// Until then everything that starts has started.
    private static let settling = Duration.seconds(5)

    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case nameTaken
        case nameRefused(String)
        case busLost(BusError)
        case noCredential(String)

        package var description: String {
            switch self {
            case .nameTaken: "another program has the name \(DesktopService.busName) already"
            case .nameRefused(let reason): "the bus does not give us our name: \(reason)"
            case .busLost(let error): "the session bus has ended: \(error)"
            case .noCredential(let host): "accounts of \(host) are named, but no credential for it"
            }
        }

        package var hint: String? {
            switch self {
            case .nameTaken:
                "one for each session is enough; to end it: systemctl --user stop bellwire-desktop"
            case .noCredential: "write the address that bellwire device add prints, with /u/SECRET"
            case .nameRefused, .busLost: nil
            }
        }
    }

    private let loop: EventLoop
    private let log: Log
    private let store: DesktopStore
    private let links: ReceiverLinks
    private let screen: NotificationDesk
    private let engines: EngineConnections
    private var bus: BusConnection?
    private var distributor: DistributorService?
    private var machine: MachineWatch?

    package init(
        store: DesktopStore, terms: DesktopTerms, trust: TLSContext, on loop: EventLoop, log: Log
    ) throws {
        self.loop = loop
        self.log = log
        self.store = store
        links = try ReceiverLinks(store: store, trust: trust, on: loop, log: log)
        try links.use(terms.receivers)
        screen = try NotificationDesk(terms.sources, store: store, on: loop, log: log)
        engines = EngineConnections(screen, trust: trust, on: loop, log: log)
        engines.use(terms.engines)
        screen.request = { [weak engines] source, request in
            engines?.send(request, to: source)
        }
    }

    /// Receivers and accounts that are new are connected with, those that are gone are left, and the
    /// others are not touched.
    package func use(_ terms: DesktopTerms) {
        do {
            try links.use(terms.receivers)
        } catch {
            log.write(.error, "receivers-not-taken", [("reason", "\(error)")])
            return
        }
        screen.use(terms.sources)
        engines.use(terms.engines)
        engines.connect()
        log.write(
            .info, "receivers-taken",
            [
                ("receivers", "\(terms.receivers.count)"),
                ("accounts", "\(terms.engines.count)"),
            ])
    }

    /// Before the loop runs. `ready` once the name is ours, `ended` if it is not, or not any more.
    package func start(
        ready: @escaping () -> Void, ended: @escaping (Failure) -> Void
    ) throws {
        let bus = try BusConnection(to: .session, on: loop) { ended(.busLost($0)) }
        self.bus = bus
        let distributor = try DistributorService(
            on: bus, link: links, store: store, loop: loop, log: log)
        self.distributor = distributor
        links.listener = distributor
        links.start()
        screen.fetch = { [weak distributor] in distributor?.heard(.fetch($0)) }
        distributor.fetched = { [weak screen] in screen?.fetched($0) }
        screen.start()
        engines.connect()
        let (links, engines) = (links, engines)
        let machine = MachineWatch(
            on: loop, floorChanged: { links.setFloor($0) },
            woken: {
                links.wake()
                engines.connect()
            })
        machine.start()
        self.machine = machine
        _ = loop.schedule(after: Interval(Self.settling), self)
        // Applications ask for us as soon as they see the name, so everything is there by now.
        bus.requestName(Self.busName) { claim in
            switch claim {
            case .success(.owned): distributor.offerManagement(ready)
            case .success(.taken): ended(.nameTaken)
            case .failure(let failure): ended(.nameRefused(failure.description))
            }
        }
    }

    /// A session has many programs that mostly wait: this one keeps no more memory than it uses.
    package func timerFired(_ cookie: UInt64) {
        Heap.trim()
        ProgramText.release()
    }

    package func end() {
        machine?.end()
        distributor?.end()
        engines.close()
        screen.close()
        links.end()
        bus?.close()
        bus = nil
    }
}
