import Configuration
import Desktop
import System

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
