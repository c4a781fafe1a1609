import API
import Base
import Configuration
import HTTP
import Mailbox
import PushService
import System

/// A running push server: the store, the listeners and the loops that serve them.
final class PushServer {
    /// The time that connections get to finish at the end.
    private static let drainLimit = Duration.seconds(3)

    let baseURL: BaseURL
    let pulse: LoopPulse
    /// Nil if no listener uses TLS.
    var certificates: ServerCertificates?
    /// The configuration that it was started with.
    let configuration: ServerConfiguration
    /// The listeners that the configuration names.
    var publicListeners: [PublicListener] = []
    var metrics: PublicListener?
    /// Listeners that no configuration changes.
    let fixedAddresses: [SocketAddress]
    let keys: KeyFolder
    let service: ServiceState
    let server: HTTPServer
    private let store: SQLiteStore
    /// Nil if the store is of this machine alone.
    let node: ClusterNode?
    private let move: ServerMove
    private let pushes: PushLoops
    private let api: APILoops
    private let callbacks: CallbackService

    /// Does everything that can fail before it accepts a connection. `further`: listeners besides
    /// the configured ones. `configure` reads the configuration again.
    init(
        _ configuration: ServerConfiguration, _ given: GivenSockets, _ ports: OpenPorts,
        further: [ListenAddress] = [], _ checkout: Checkout?, _ log: Log,
        configure: @escaping @Sendable () throws -> ServerConfiguration
    ) throws {
        // The group that may use the control socket needs access to the folder.
        try PrivateFolder.make(configuration.state, mode: 0o750)
        let keys = try KeyFolder(configuration)
        self.keys = keys
        self.configuration = configuration
        let folder = try StateFolder(configuration.state)
        try PendingMove.settle(configuration, folder, log)
        let node = try configuration.remoteStore.map {
            try ClusterNode($0, in: configuration.state, log)
        }
        let store: SQLiteStore
        do {
            store = try Self.store(configuration, folder, keys, node, log)
        } catch {
            node?.leave()
            throw error
        }
        self.node = node
        let move = ServerMove(of: store, in: configuration.state, node, log, configure: configure)
        self.move = move
        do {
            try node?.begin(with: store, in: configuration.state, log)
            certificates =
                configuration.listeners.contains(where: \.isEncrypted)
                ? try ServerCertificates(configuration, keys) : nil
            if let checkout { certificates?.publish(in: checkout, log) }
            let listeners = try OpenListeners(configuration, given, ports, further: further)
            baseURL = try Self.baseURL(configuration, listeners)
            try store.serve(at: baseURL.description)
            let control = Self.control(baseURL, store, keys, node, move, log)
            let service = ServiceState(
                store: store, endpointKey: store.endpointKey,
                settings: try Self.settings(
                    configuration, listeners.addresses,
                    hasProxies: configuration.listeners.contains(where: \.hasProxies), baseURL,
                    node, log))
            let access = Self.access(configuration, log)
            let pushes = PushLoops(service)
            let api = APILoops(service)
            self.service = service
            self.pushes = pushes
            self.api = api
            callbacks = try CallbackService(
                for: service, Self.callbackSurroundings(store, node, log), describe: api.describe)
            server = try HTTPServer(
                ownRecords: configuration.hasOwnRecords, figures: service.figures,
                report: { log.write($0) }, access: access,
                handler: { loop in
                    try pushes.handler(on: loop) { api.routes(on: loop, for: $0) }
                })
            let served = try Self.listen(listeners, on: server, certificates, control, api)
            publicListeners = served.filter { listener in !further.contains(listener.configured) }
            fixedAddresses =
                served.filter { listener in further.contains(listener.configured) }
                .map(\.served.address) + [listeners.control.address]
            if let listener = listeners.metrics {
                metrics = try Self.serveMetrics(listener, on: server, service)
            }
            Self.announce(listeners, configuration, baseURL, log)
        } catch {
            node?.end()
            store.close()
            node?.leave()
            throw error
        }
        self.store = store
        pulse = LoopPulse(server.loops)
        useAttachments(configuration)
    }

    /// Changes when an account gets its first registration or loses its last.
    var accountChanges: UInt64 { store.index.engines.changeCount }

    /// `follower` is called on another thread after each such change.
    func followAccounts(_ follower: @escaping @Sendable () -> Void) {
        store.index.engines.followChanges(follower)
    }

    /// What the files that come to topics may have from now on.
    func useAttachments(_ configuration: ServerConfiguration) {
        store.index.files.allow(configuration.attachments)
    }

    var mustStartAgain: Bool { node?.mustStartAgain ?? false }
    /// The store is at another place now, where another start finds it.
    var hasMoved: Bool { move.hasMoved }

    func start() throws {
        try callbacks.start()
        try server.start(name: "bellwire")
    }

    /// Accepts no more connections, and ends the open ones when they are done.
    func end(_ log: Log) {
        server.drain(within: Self.drainLimit)
        let cut = server.join().reduce(0) { count, ending in
            if case .cut(let connections) = ending { count + connections } else { count }
        }
        callbacks.end()
        move.end()
        node?.end()
        store.close()
        node?.leave()
        service.close()
        pushes.close()
        api.close()
        log.write(.info, "ended", [("connections-cut", "\(cut)")])
    }
}

extension PushServer {
    static func access(
        _ configuration: ServerConfiguration, _ log: Log
    ) -> HTTPAccess.Report? {
        let report: HTTPAccess.Report = { log.write($0) }
        return configuration.values.isOn(.accessLog) ? report : nil
    }

    private static func metricsToken(_ configuration: ServerConfiguration) throws -> Secret? {
        guard let path = configuration.values[.metricsTokenFile] else { return nil }
        var token = try TextFile.read(path)
        while token.last == UInt8(ascii: "\n") { token.removeLast() }
        guard !token.isEmpty else {
            throw CommandError.usage("\(path) is empty", hint: "put a long random password into it")
        }
        return Secret(token.span)
    }

    private static func baseURL(
        _ configuration: ServerConfiguration, _ listeners: OpenListeners
    ) throws -> BaseURL {
        let baseURL = configuration.baseURL(
            tlsPort: listeners.port(encrypted: true), plainPort: listeners.port(encrypted: false))
        guard let baseURL else {
            throw CommandError.usage(
                "base-url is needed if every listener is a Unix socket")
        }
        return baseURL
    }

    /// `listeners`: all addresses of this server.
    static func settings(
        _ configuration: ServerConfiguration, _ listeners: [SocketAddress], hasProxies: Bool,
        _ baseURL: BaseURL, _ node: ClusterNode?, _ log: Log
    ) throws -> PushServiceSettings {
        var settings = PushServiceSettings(
            baseURL: baseURL, aliases: configuration.aliases, version: ProgramVersion.text)
        settings.now = node?.time ?? settings.now
        try decideCallbacks(configuration, listeners, baseURL, &settings.callbacks)
        settings.onUndecryptable = { registration, reason in
            log.write(
                .warning, "undecryptable", [("registration", registration), ("reason", reason)])
        }
        settings.onUnheard = { registration in
            log.write(
                .warning, "nobody-listens",
                [
                    ("registration", registration),
                    ("advice", Sentence.nobodyListens.text(.english)),
                ])
        }
        settings.registration = configuration.registration
        settings.values = configuration.values
        settings.isBehindProxy = hasProxies
        settings.metricsToken = try metricsToken(configuration)
        switch configuration.page {
        case .auto: break
        case .off: settings.page = .off
        case .own(let origin): settings.page = .own(origin)
        }
        return settings
    }

    /// Logs who can use each listener.
    private static func announce(
        _ listeners: OpenListeners, _ configuration: ServerConfiguration, _ baseURL: BaseURL,
        _ log: Log
    ) {
        for listener in listeners.publicListeners {
            announce(
                listener.configured, listener.address, configuration.registration, baseURL, log)
        }
        log.write(
            .info, "listening",
            [
                ("address", listeners.control.address.description), ("protocol", "control"),
                ("open-to", configuration.controlSentence),
            ])
        guard let metrics = listeners.metrics else { return }
        announceMetrics(metrics.address, configuration, log)
    }

    static func announce(
        _ listener: ListenAddress, _ address: SocketAddress, _ registration: RegistrationMode,
        _ baseURL: BaseURL, _ log: Log
    ) {
        let entrance = Entrance(listener, registration, baseURL)
        log.write(
            entrance.isOpenToStrangers ? .warning : .info, "listening",
            [
                ("address", address.description),
                ("protocol", listener.isEncrypted ? "https" : "http"),
                ("open-to", entrance.sentence),
            ])
    }

    static func announceMetrics(
        _ address: SocketAddress, _ configuration: ServerConfiguration, _ log: Log
    ) {
        log.write(
            .info, "listening",
            [
                ("address", address.description), ("protocol", "metrics"),
                ("open-to", configuration.metricsSentence),
            ])
    }

    private static func listen(
        _ listeners: OpenListeners, on server: HTTPServer, _ certificates: ServerCertificates?,
        _ control: ControlSettings, _ api: APILoops
    ) throws -> [PublicListener] {
        let publicListeners = try listeners.publicListeners.compactMap {
            try serve($0, on: server, certificates)
        }
        if let socket = listeners.control.handOver() {
            try server.listen(on: socket) { api.control(on: $0, control) }
        }
        return publicListeners
    }

    static func serve(
        _ listener: OpenListener, on server: HTTPServer, _ certificates: ServerCertificates?
    ) throws -> PublicListener? {
        guard let socket = listener.handOver() else { return nil }
        let terms = listener.configured.terms(certificates?.store)
        return PublicListener(listener.configured, try server.listen(on: socket, terms))
    }

    static func serveMetrics(
        _ listener: OpenListener, on server: HTTPServer, _ service: ServiceState
    ) throws -> PublicListener? {
        guard let socket = listener.handOver() else { return nil }
        let served = try server.listen(on: socket) { _ in MetricsHandler(service) }
        return PublicListener(listener.configured, served)
    }
}
