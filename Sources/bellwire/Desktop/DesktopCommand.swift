import Configuration
import Desktop
import Reactor
import System

extension Command {
    static let desktop = Command(
        name: "desktop",
        summary: "let the applications of this session get pushes, and show notifications",
        details: """
            Takes the name \(DesktopService.busName) on the session bus, where applications register
            (UnifiedPush), and connects to the receivers: Bellwire's or any push service that speaks
            autopush. Their addresses stand in a file that only you can read, one a line, as
            bellwire device add prints them: wss://HOST/u/SECRET. New applications go to the first.
            Behind an address may stand accounts that are registered there, whose notifications are
            shown: APP/ACCOUNT, or APP/ACCOUNT=DESKTOP-ENTRY for an application that opens them.
            SIGHUP reads the file again: the applications of a receiver that is gone from it go to
            the first one.

            Prints "bellwire: ready NAME" on standard output once the name is taken; everything else
            goes to standard error. SIGTERM ends it. bellwire serve --desktop does the same within a
            push service of this machine.
            """,
        options: ConfigurationSources.options(of: ConfigurationKey.desktop)
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("desktop takes options only", hint: "bellwire desktop --help")
        }
        let (log, manager) = (Log(), ServiceManager())
        let signals = SignalQueue()
        let configure = { try ConfigurationSources.read(arguments) }
        let configuration = try configure()
        let receivers = try DesktopHost.receivers(configuration)
        log.write(
            .info, "starting",
            [("version", ProgramVersion.text), ("receivers", "\(receivers.count)")])
        if receivers.isEmpty { warn(configuration, log) }
        let host = try DesktopHost(configuration, DesktopTerms(receivers), log)
        let failure = DesktopFailure()
        try host.start(
            ready: { announce(manager, log) },
            ended: { reason in
                failure.set(reason)
                SignalQueue.askToEnd()
            })
        wait(signals, manager) {
            host.reload(log) { try DesktopTerms(DesktopHost.receivers(configure())) }
        }
        manager.notify(.stopping)
        LastResort.arm(log, "desktop-hangs")
        host.end()
        log.write(.info, "ended")
        if let reason = failure.reason { throw reason }
        return .success
    }

    private static func warn(_ configuration: ServerConfiguration, _ log: Log) {
        log.write(
            .warning, "no-receivers",
            [
                ("advice", "put an address from bellwire device add into the file receivers"),
                ("file", configuration.receiversFiles.last ?? "receivers"),
            ])
    }

    private static func announce(_ manager: ServiceManager, _ log: Log) {
        log.write(.info, "ready", [("name", DesktopService.busName)])
        do throws(SystemError) {
            try StandardOutput.write("bellwire: ready \(DesktopService.busName)\n")
        } catch {
            // Who started it does not listen; others may.
            log.write(.warning, "ready-not-heard", [("reason", error.description)])
        }
        manager.notify(.ready)
    }

    /// Until it is asked to end. Without a watchdog nothing wakes it.
    private static func wait(
        _ signals: SignalQueue, _ manager: ServiceManager, reload: () -> Void
    ) {
        let interval = manager.watchdogInterval ?? .seconds(86_400)
        while true {
            switch signals.next(within: interval) {
            case .end: return
            case .reload:
                manager.notify(.reloading)
                reload()
                manager.notify(.ready)
            case nil: break
            }
            manager.notify(.alive)
        }
    }
}

/// Why the service ended by itself, if it did. For all threads.
final class DesktopFailure: Sendable {
    private let content = Lock<DesktopService.Failure?>(nil)

    var reason: DesktopService.Failure? { content.withLock { $0 } }

    func set(_ reason: DesktopService.Failure) { content.withLock { $0 = $0 ?? reason } }
}
