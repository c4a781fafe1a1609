package import Base
package import Bus
package import Crypto
package import System

/// Bellwire in one session: applications register on the session bus and get their messages from
/// the receivers. Once its loop runs, only the thread of that loop uses it.
// Unchecked: it is prepared before the loop runs, and then touched on its thread alone.
package final class DesktopService: TimerHandler, @unchecked Sendable {
    package static let busName = "org.unifiedpush.Distributor.bellwire"
    /// The start is over after this time.
    private static let settling = Duration.seconds(5)

    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case nameTaken
        case nameRefused(String)
        case busLost(BusError)
        case noCredential(String)

        package var description: String {
            switch self {
            case .nameTaken: "another program already has the name \(DesktopService.busName)"
            case .nameRefused(let reason):
                "the bus refuses the name \(DesktopService.busName): \(reason)"
            case .busLost(let error): "the connection to the session bus was lost: \(error)"
            case .noCredential(let host): "the address of \(host) has accounts but no credential"
            }
        }

        package var hint: String? {
            switch self {
            case .nameTaken:
                "a session needs only one; to stop it: systemctl --user stop bellwire-desktop"
            case .noCredential: "write the address that bellwire device add prints, with /u/SECRET"
            case .nameRefused, .busLost: nil
            }
        }
    }

    private let loop: EventLoop
    private let log: Log
    private let store: DesktopStore
    private let links: ReceiverLinks
    private let screen: PresenterService
    private let engines: EngineConnections
    private let buttons: ButtonSender
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
        screen = try PresenterService(
            terms.sources, language: terms.language, store: store, on: loop, log: log)
        engines = EngineConnections(screen, trust: trust, on: loop, log: log)
        engines.use(terms.engines)
        buttons = ButtonSender(trust: trust, on: loop, log: log)
        buttons.receivers = terms.placesHere
        screen.send = { [buttons] request, done in buttons.send(request, done) }
        screen.request = { [weak engines] source, request in
            engines?.send(request, to: source)
        }
        screen.loadPicture = { [weak engines] source, name, then in
            engines?.loadPicture(name, of: source, then: then)
        }
    }

    /// Connects to new receivers and accounts, leaves those that are gone, and does not touch the
    /// others.
    package func use(_ terms: DesktopTerms) {
        do {
            try links.use(terms.receivers)
        } catch {
            log.write(.error, "receivers-not-taken", [("reason", "\(error)")])
            return
        }
        screen.use(terms.sources)
        buttons.receivers = terms.placesHere
        engines.use(terms.engines)
        engines.connect()
        log.write(
            .info, "receivers-taken",
            [
                ("receivers", "\(terms.receivers.count)"),
                ("accounts", "\(terms.engines.count)"),
            ])
    }

    /// Call it before the loop runs. Calls `ready` once the bus name is ours, and `ended` if we
    /// cannot get it or lose it.
    package func start(
        ready: @escaping () -> Void, ended: @escaping (Failure) -> Void
    ) throws {
        let bus = try BusConnection(to: .session, on: loop) { ended(.busLost($0)) }
        self.bus = bus
        let distributor = try DistributorService(
            on: bus, link: links, store: store, loop: loop, log: log)
        self.distributor = distributor
        links.tell = { [weak distributor] event in distributor?.update(event) }
        links.start()
        screen.fetch = { [weak distributor] signal in
            distributor?.update { $0.fetch(signal, at: $1) }
        }
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
        // Applications call as soon as they see the name, so everything must be exported by now.
        bus.requestName(Self.busName) { claim in
            switch claim {
            case .success(.owned): distributor.offerManagement(ready)
            case .success(.taken): ended(.nameTaken)
            case .failure(let failure): ended(.nameRefused(failure.description))
            }
        }
    }

    /// The service mostly waits, so after its start it returns unused memory.
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

/// The receivers of a session, and the accounts whose notifications it shows.
package struct DesktopTerms: Sendable {
    let receivers: [ReceiverAddress]
    /// The engines to show. Of several with the same source, only the first is kept.
    let engines: [PresentedEngine]
    /// What notifications say by themselves is said in this language.
    let language: Language

    package init(
        _ receivers: [ReceiverAddress], language: Language
    ) throws(DesktopService.Failure) {
        self.language = language
        var engines: [PresentedEngine] = []
        for receiver in receivers {
            for account in receiver.accounts {
                let address = EngineAddress(
                    device: receiver.text, app: account.app, account: account.account)
                guard var address else {
                    throw DesktopService.Failure.noCredential(receiver.url.host)
                }
                address.place = receiver.place
                let source = account.source(at: receiver.url.host)
                if engines.contains(where: { $0.source.id == source.id }) { continue }
                engines.append(PresentedEngine(source: source, address: address))
            }
        }
        self.receivers = receivers
        self.engines = engines
    }

    /// Where those receivers are that are on this machine, or named by their addresses.
    var placesHere: [SocketAddress] {
        receivers.flatMap { receiver in
            let host = receiver.url.host
            let addresses = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
            return addresses.compactMap { IPAddress($0) }
                .map { SocketAddress.ip($0, port: receiver.url.port) }
        }
    }

    var sources: [PresentedSource] { engines.map(\.source) }
}
