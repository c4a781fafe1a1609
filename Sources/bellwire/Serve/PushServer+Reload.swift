import Configuration
import Glibc
import HTTP
import Mailbox
import Outbound
import PushService
import System

/// A reload of the configuration while the server runs.
extension PushServer {
    /// Who may connect.
    var admission: AdmissionRules { service.admission }

    /// Applies what a running server can change, and returns the keys that wait for the next start.
    /// If it throws, nothing has changed.
    ///
    /// All sockets are opened first, because that may fail. The new settings come before anybody
    /// can connect to a new listener.
    func reload(_ wanted: ServerConfiguration, _ log: Log) throws -> [String] {
        try node?.learn(keys)
        var waiting = wanted.keysForNextStart(after: configuration)
        let change = try listenerOpenings(wanted, log)
        let metricsChange = metricsChange(wanted, log)
        let listeners = change == nil ? publicListeners.map(\.configured) : wanted.listeners
        var settings = try Self.settings(
            wanted, addresses(after: change, metricsChange),
            hasProxies: listeners.contains(where: \.hasProxies), baseURL, node, log)
        settings.registration = wanted.registration(
            serving: listeners, under: configuration.baseURL, now: admission.registration)
        if change == nil { waiting.append(ConfigurationKey.listen.name) }
        if metricsChange == nil {
            // Its listener may be one that needs the token.
            settings.metricsToken = service.settings.metricsToken
            waiting.append(ConfigurationKey.metricsListen.name)
        }
        if settings.registration != wanted.registration {
            waiting.append(ConfigurationKey.registration.name)
        }
        if settings.registration != admission.registration {
            log.write(.warning, "registration", [("mode", settings.registration.rawValue)])
        }
        service.use(settings)
        useAttachments(wanted)
        server.setAccess(Self.access(wanted, log))
        if let change { use(change, settings.registration, log) }
        if let metricsChange { use(metricsChange, wanted, log) }
        return waiting
    }

    /// Callbacks may go to none of them.
    private func addresses(
        after change: ListenerOpenings?, _ metricsChange: MetricsChange?
    ) -> [SocketAddress] {
        let kept =
            change.map { $0.changes.kept.map { publicListeners[$0.index] } } ?? publicListeners
        let opened = (change?.opened ?? []) + [metricsChange?.opened].compactMap(\.self)
        let isKept = metricsChange?.isKept ?? true
        let served = kept + [isKept ? metrics : nil].compactMap(\.self)
        return served.map(\.served.address) + opened.map(\.address) + fixedAddresses
    }

    private func close(_ listener: PublicListener, _ log: Log) {
        server.close(listener.served)
        log.write(.info, "listening-ended", [("address", listener.served.address.description)])
    }
}

/// The listeners for pushes and clients.
extension PushServer {
    private struct ListenerOpenings {
        let changes: ListenerChanges
        /// Those of `changes.opened` that this machine has.
        let opened: [OpenListener]
    }

    /// Opens new sockets. Nil, with a log line, if the listeners have to stay as they are.
    private func listenerOpenings(_ wanted: ServerConfiguration, _ log: Log) throws
        -> ListenerOpenings?
    {
        let changes = ListenerChanges(from: publicListeners.map(\.configured), to: wanted.listeners)
        guard keepsName(wanted, changes) else {
            Self.refuse("base-url follows from the port, and would change with it", log)
            return nil
        }
        if certificates == nil, wanted.listeners.contains(where: \.isEncrypted) {
            certificates = try ServerCertificates(wanted, keys)
        }
        var opened: [OpenListener] = []
        for listener in changes.opened {
            do throws(SystemError) {
                opened.append(try OpenListener.open(listener))
            } catch {
                // The default includes IPv6, which this machine may lack.
                let isLacking = error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT
                if wanted.listensAsUsual, isLacking, !changes.kept.isEmpty { continue }
                Self.refuse(CommandError(listening: error).message, log)
                return nil
            }
        }
        return ListenerOpenings(changes: changes, opened: opened)
    }

    /// Whether base-url stays the same where it follows from the ports.
    private func keepsName(_ wanted: ServerConfiguration, _ changes: ListenerChanges) -> Bool {
        guard configuration.baseURL == nil else { return true }
        guard wanted.baseURL == nil else {
            return wanted.listeners == publicListeners.map(\.configured)
        }
        func port(encrypted: Bool) -> UInt16? {
            let first = wanted.listeners.first { $0.isPort && $0.isEncrypted == encrypted }
            let kept = changes.kept.first { $0.address == first }
            return kept.map { publicListeners[$0.index].port } ?? first?.port
        }
        return baseURL
            == wanted.baseURL(
                tlsPort: port(encrypted: true), plainPort: port(encrypted: false))
    }

    private static func refuse(_ reason: String, _ log: Log) {
        log.write(
            .error, "cannot-listen",
            [("reason", reason), ("effect", "the listeners stay as they are")])
    }

    private func use(_ change: ListenerOpenings, _ registration: RegistrationMode, _ log: Log) {
        for index in change.changes.closed { close(publicListeners[index], log) }
        var now: [PublicListener] = []
        for kept in change.changes.kept {
            let listener = publicListeners[kept.index]
            now.append(PublicListener(kept.address, listener.served))
            guard listener.configured != kept.address else { continue }
            listener.served.use(kept.address.terms(certificates?.store))
            Self.announce(kept.address, listener.served.address, registration, baseURL, log)
        }
        for listener in change.opened {
            do {
                guard let served = try Self.serve(listener, on: server, certificates) else {
                    continue
                }
                now.append(served)
                Self.announce(listener.configured, listener.address, registration, baseURL, log)
            } catch { Self.lost(listener, error, log) }
        }
        publicListeners = now
    }

    /// The loops had no descriptors for it.
    private static func lost(_ listener: OpenListener, _ error: any Error, _ log: Log) {
        log.write(
            .error, "cannot-listen",
            [
                ("address", listener.address.description),
                ("reason", CommandError(error).message),
            ])
    }
}

/// The listener for metrics.
extension PushServer {
    private struct MetricsChange {
        let isKept: Bool
        let opened: OpenListener?
    }

    /// Nil, with a log line, if it has to stay as it is.
    private func metricsChange(_ wanted: ServerConfiguration, _ log: Log) -> MetricsChange? {
        guard let listener = wanted.metricsListener else {
            return MetricsChange(isKept: false, opened: nil)
        }
        if let metrics, metrics.configured.isSamePlace(as: listener) {
            return MetricsChange(isKept: true, opened: nil)
        }
        do throws(SystemError) {
            return MetricsChange(isKept: false, opened: try OpenListener.open(listener))
        } catch {
            Self.refuse(CommandError(listening: error).message, log)
            return nil
        }
    }

    private func use(_ change: MetricsChange, _ wanted: ServerConfiguration, _ log: Log) {
        guard !change.isKept else { return }
        if let metrics { close(metrics, log) }
        metrics = nil
        guard let opened = change.opened else { return }
        do {
            metrics = try Self.serveMetrics(opened, on: server, service)
            Self.announceMetrics(opened.address, wanted, log)
        } catch { Self.lost(opened, error, log) }
    }
}

extension PushServer {
    /// Lets callbacks go where the configuration allows, but never to this server.
    static func decideCallbacks(
        _ configuration: ServerConfiguration, _ listeners: [SocketAddress], _ baseURL: BaseURL,
        _ settings: inout CallbackSettings
    ) throws {
        if let file = configuration.values[.callbackAuthorities] { _ = try TextFile.read(file) }
        for allowance in configuration.callbackAllowances {
            switch allowance {
            case .addresses(let block): settings.dialGuard.allowed.append(block)
            case .socket(let path): settings.allowedSockets.append(path)
            }
        }
        let origins = [baseURL.origin] + configuration.aliases
        settings.ownURLs = origins.map { $0.description + baseURL.path }
        settings.proxy = configuration.values[.callbackProxy]
        settings.unixFolder = configuration.values[.callbackUnixDirectory]
        settings.client.authorities = configuration.values[.callbackAuthorities]
        for listener in listeners {
            switch listener {
            case .ip(let address, let port):
                settings.dialGuard.listeners.append((address, port))
            case .unix(let path): settings.ownSockets.append(path)
            }
        }
    }

    static func callbackSurroundings(
        _ store: SQLiteStore, _ node: ClusterNode?, _ log: Log
    ) -> CallbackService.Surroundings {
        var surroundings = CallbackService.Surroundings(clock: store.clock)
        surroundings.wall = node?.time ?? surroundings.wall
        surroundings.report = { trouble in
            log.write(
                .warning, "callback",
                [("registration", "\(trouble.callback)"), ("reason", trouble.reason)])
        }
        return surroundings
    }
}
