import Configuration
import PushService
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
    func watch(_ running: ServerConfiguration) {
        var keysMade = Boot.milliseconds
        let interval = min(manager.watchdogInterval ?? Self.pulse, Self.pulse)
        while true {
            switch signals.next(within: interval) {
            case .end: return
            case .reload:
                reload(running)
                keysMade = Boot.milliseconds
            case nil: break
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
    private func reload(_ running: ServerConfiguration) {
        manager.notify(.reloading)
        defer { manager.notify(.ready) }
        let configuration: ServerConfiguration
        do {
            configuration = try configure()
        } catch {
            let error = CommandError(error)
            log.write(
                .error, "configuration-refused",
                [("reason", error.message), ("effect", "the previous one stays in force")])
            server.certificates?.reload(nil, log)
            return
        }
        let registration = configuration.registration(
            afterReloadOf: running, now: server.doors.registration)
        var waiting = configuration.keysForNextStart(after: running)
        if registration != configuration.registration {
            waiting.append(ConfigurationKey.registration.name)
        }
        if !waiting.isEmpty {
            log.write(
                .warning, "restart-needed", [("keys", waiting.joined(separator: ","))])
        }
        if registration != server.doors.registration {
            log.write(.warning, "registration", [("mode", registration.rawValue)])
        }
        server.doors = Doors(
            registration: registration, allowsLocalUsers: configuration.allowsLocalUsers)
        server.certificates?.reload(configuration, log)
        desktop?.reload(configuration)
        log.write(.info, "configuration-read")
    }
}
