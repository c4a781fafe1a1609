import Configuration
import System

/// Runs a server: handles signals, the systemd watchdog, and what is due from time to time.
struct Supervisor {
    private static let pulse = Duration.seconds(5)
    /// TLS session tickets are valid as long as their key is in use.
    private static let keyLifetime: Int64 = 86_400_000

    let server: PushServer
    /// Nil without a desktop.
    let desktop: LocalDesktop?
    let manager: ServiceManager
    let signals: SignalQueue
    let log: Log
    /// Reads the configuration again.
    let configure: () throws -> ServerConfiguration

    /// Returns when the server should end.
    func watch() {
        var keysMade = Boot.milliseconds
        let interval = min(manager.watchdogInterval ?? Self.pulse, Self.pulse)
        while true {
            switch signals.next(within: interval) {
            case .end: return
            case .reload:
                reload()
                keysMade = Boot.milliseconds
            case .look, nil: break
            }
            desktop?.follow()
            if server.pulse.beat() {
                manager.notify(.alive)
            } else {
                log.write(.warning, "loop-silent")
            }
            let isDue = Boot.milliseconds - keysMade >= Self.keyLifetime
            if let certificates = server.certificates, isDue || certificates.store.haveFilesChanged
            {
                certificates.reload(nil, log)
                keysMade = Boot.milliseconds
            }
        }
    }

    /// Applies what can change while it runs; after a mistake everything stays as it was.
    private func reload() {
        manager.notify(.reloading)
        defer { manager.notify(.ready) }
        let configuration: ServerConfiguration
        do {
            configuration = try configure()
            let waiting = try server.reload(configuration, log)
            if !waiting.isEmpty {
                log.write(
                    .warning, "restart-needed", [("keys", waiting.joined(separator: ","))])
            }
        } catch {
            let error = CommandError(error)
            log.write(
                .error, "configuration-refused",
                [("reason", error.message), ("effect", "the previous one stays in force")])
            server.certificates?.reload(nil, log)
            return
        }
        server.certificates?.reload(configuration, log)
        desktop?.reload(configuration)
        // Whoever waits for this line finds the configuration in force.
        server.pulse.settle()
        log.write(.info, "configuration-read")
    }
}
