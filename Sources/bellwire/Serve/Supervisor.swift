import Configuration
import Desktop
import Glibc
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

/// Checks that every loop still runs.
final class LoopPulse: Sendable {
    private let loops: [EventLoop]
    private let silent: Lock<Set<Int>>
    /// How many loops have not done yet what was posted to them before.
    private let behind = Lock(0)

    init(_ loops: [EventLoop]) {
        self.loops = loops
        silent = Lock([])
    }

    /// Pings all loops; false if one has not answered the previous ping.
    func beat() -> Bool {
        let isAlive = silent.withLock { silent in
            guard silent.isEmpty else { return false }
            silent = Set(loops.indices)
            return true
        }
        guard isAlive else { return false }
        for (index, loop) in loops.enumerated() {
            loop.post { self.silent.withLock { _ = $0.remove(index) } }
        }
        return true
    }

    /// Waits until each loop has done what was posted to it before, for a second at most.
    func settle() {
        behind.withLock { $0 += loops.count }
        for loop in loops { loop.post { self.behind.withLock { $0 -= 1 } } }
        for _ in 0..<1_000 where behind.withLock({ $0 > 0 }) { usleep(1_000) }
    }
}

/// The desktop inside a server's process: one of its devices, which shows all accounts registered
/// there. It belongs to the supervisor's thread.
final class LocalDesktop {
    private let server: PushServer
    private let host: DesktopHost
    private let log: Log
    private var configuration: ServerConfiguration
    /// The server's change count when its accounts were last read.
    private var accountChanges: UInt64

    /// Nil, with a log line, if a desktop cannot run here; the server still serves pushes.
    init?(of server: PushServer, _ configuration: ServerConfiguration, _ log: Log) {
        accountChanges = server.accountChanges
        do {
            host = try DesktopHost(configuration, try Self.terms(configuration), log)
            try host.start(
                ready: { log.write(.info, "desktop-ready", [("name", DesktopService.busName)]) },
                ended: { log.write(.error, "desktop-ended", [("reason", $0.description)]) })
        } catch {
            let error = CommandError(error)
            var fields: [(StaticString, String)] = [("reason", error.message)]
            if let hint = error.hint { fields.append(("advice", hint)) }
            log.write(.error, "no-desktop", fields)
            return nil
        }
        self.server = server
        self.log = log
        self.configuration = configuration
        // A new account is shown with its first notification.
        server.followAccounts { SignalQueue.askToLook() }
    }

    private static func terms(_ configuration: ServerConfiguration) throws -> DesktopTerms {
        let local = try LocalReceiver.address(configuration.state)
        return try DesktopTerms(
            [local] + DesktopHost.receivers(configuration), language: Locale.language)
    }

    /// Applies new and revoked registrations.
    func follow() {
        if server.accountChanges != accountChanges { refresh() }
    }

    func reload(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        refresh()
    }

    private func refresh() {
        // It is read before the accounts, so that a change in between is seen the next time.
        let changes = server.accountChanges
        if host.reload(log, { try Self.terms(configuration) }) { accountChanges = changes }
    }

    func end() { host.end() }
}
