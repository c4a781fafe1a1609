import Configuration
import Desktop
import System

/// The desktop beside a server of the same process: a device of it, which shows all accounts that are
/// registered there. Belongs to the thread of the supervisor.
final class LocalDesktop {
    private let server: PushServer
    private let host: DesktopHost
    private let log: Log
    private var configuration: ServerConfiguration
    /// Of the server, when its accounts were looked at last.
    private var accountChanges: UInt64

    /// Nil, with a word in the log, where no desktop can be served: pushes are taken all the same.
    init?(of server: PushServer, _ configuration: ServerConfiguration, _ log: Log) {
        accountChanges = server.accountChanges
        do {
            host = try DesktopHost(configuration, try Self.terms(configuration), log)
            try host.start(
                ready: { log.write(.info, "desktop-ready", [("name", DesktopService.busName)]) },
                ended: { log.write(.error, "desktop-ended", [("reason", $0.description)]) })
        } catch {
            log.write(.error, "no-desktop", [("reason", CommandError(error).message)])
            return nil
        }
        self.server = server
        self.log = log
        self.configuration = configuration
    }

    private static func terms(_ configuration: ServerConfiguration) throws -> DesktopTerms {
        let local = try LocalReceiver.address(configuration.state)
        return try DesktopTerms([local] + DesktopHost.receivers(configuration))
    }

    /// Notices what was registered and revoked.
    func follow() {
        if server.accountChanges != accountChanges { refresh() }
    }

    func reload(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        refresh()
    }

    private func refresh() {
        // Read before the accounts: what changes meanwhile is looked at again.
        let changes = server.accountChanges
        if host.reload(log, { try Self.terms(configuration) }) { accountChanges = changes }
    }

    func end() { host.end() }
}
