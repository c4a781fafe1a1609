import Bus
import Configuration
import Desktop
import System

extension Command {
    static let desktop = Command(
        name: "desktop",
        summary: "bring pushes to the applications of this session, and show notifications",
        details: """
            Takes the name \(DesktopService.busName) on the session bus, where applications
            register (UnifiedPush), and connects to receivers: Bellwire servers, or any push
            service that speaks autopush. List their addresses one per line in a file that only you
            can read. bellwire device add prints them: wss://HOST/u/SECRET, or the same with https.
            New applications use the first receiver. Append APP/ACCOUNT to an address to show that account's
            notifications, or APP/ACCOUNT=DESKTOP-ENTRY to let that application open them.

            SIGHUP reads the file again. Applications of a receiver that was removed move to the
            first receiver. While the file is empty or missing, they are kept for a day.

            Prints "bellwire: ready NAME" on standard output once it has the name; everything else
            goes to standard error. SIGTERM ends it. bellwire serve --desktop does the same inside
            a push server on this machine.
            """,
        options: ConfigurationSources.options(of: ConfigurationKey.desktop),
        examples: [
            Example(
                "bellwire desktop",
                help: "serve this session, with the addresses in your file receivers"),
            Example(
                "bellwire desktop --receivers-file ~/receivers",
                help: "read the addresses from another file"),
        ]
    ) { arguments in
        let (log, manager) = (Log(), ServiceManager())
        let signals = SignalQueue()
        let configure = { try ConfigurationSources.read(arguments) }
        let configuration = try configure()
        let receivers = try DesktopHost.receivers(configuration)
        log.write(
            .info, "starting",
            [("version", ProgramVersion.text), ("receivers", "\(receivers.count)")])
        if receivers.isEmpty { warn(configuration, log) }
        let host = try DesktopHost(
            configuration, DesktopTerms(receivers, language: Locale.language), log)
        let failure = DesktopFailure()
        try host.start(
            ready: { announce(manager, log) },
            ended: { reason in
                failure.set(reason)
                SignalQueue.askToEnd()
            })
        wait(signals, manager) {
            host.reload(log) {
                let wanted = try configure()
                say(wanted.keysForNextStart(after: configuration), log)
                return try DesktopTerms(DesktopHost.receivers(wanted), language: Locale.language)
            }
        }
        manager.notify(.stopping)
        LastResort.arm(log, "desktop-hangs")
        host.end()
        log.write(.info, "ended")
        if let reason = failure.reason { throw reason }
        return .success
    }

    /// Names the settings of the desktop that wait for its next start.
    private static func say(_ waiting: [String], _ log: Log) {
        let keys = ConfigurationKey.desktop.map(\.name).filter(waiting.contains)
        guard !keys.isEmpty else { return }
        log.write(.warning, "restart-needed", [("keys", keys.joined(separator: ","))])
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
            // The parent does not read; continue without it.
            log.write(.warning, "ready-not-heard", [("reason", error.description)])
        }
        manager.notify(.ready)
    }

    /// Waits for SIGTERM. Without a watchdog it sleeps until then.
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
            case .look, nil: break
            }
            manager.notify(.alive)
        }
    }
}

/// Why the service ended by itself, if it did. Any thread may use it.
final class DesktopFailure: Sendable {
    private let content = Lock<DesktopService.Failure?>(nil)

    var reason: DesktopService.Failure? { content.withLock { $0 } }

    func set(_ reason: DesktopService.Failure) { content.withLock { $0 = $0 ?? reason } }
}

/// Sends one request to the running desktop service.
enum DesktopDialogue {
    private static let name = "org.bellwire.Desktop1"
    private static let path = "/org/bellwire/Desktop1"
    private static let patience = Duration.seconds(10)

    static func call(_ member: String, _ values: [BusValue] = []) throws -> [BusValue] {
        // The service looks up its caller and refuses one that may be sandboxed.
        try ProcessGuard.showItself()
        let reply = try reply { bus, completion in
            bus.call(
                BusMethodCall(to: name, path: path, interface: name, member: member, values),
                timeout: patience, completion: completion)
        }
        switch reply {
        case .success(let values): return values
        case .failure(let failure): throw error(failure)
        case nil:
            throw CommandError.unavailable("the session bus closed the connection")
        }
    }

    /// Whether a program has that name on the session bus.
    static func hasOwner(_ name: String) throws -> Bool {
        let reply = try reply { bus, completion in
            bus.ask("NameHasOwner", [.string(name)], completion: completion)
        }
        return (try? reply?.get())?.first?.flag ?? false
    }

    /// Nil if the bus closed the connection.
    private static func reply(
        to request: (BusConnection, @escaping (BusReply) -> Void) -> Void
    ) throws -> BusReply? {
        let loop = try EventLoop()
        var answer: BusReply?
        let bus = try BusConnection(to: .session, on: loop) { _ in loop.stop() }
        request(bus) {
            answer = $0
            loop.stop()
        }
        _ = loop.run()
        bus.close()
        return answer
    }

    private static func error(_ failure: BusFailure) -> CommandError {
        switch failure.name {
        case "org.bellwire.Error.UnknownApplication":
            CommandError.refused(
                "there is no such application",
                hint: "run bellwire apps list to see all applications")
        case BusErrorName.accessDenied:
            CommandError.refused(
                "the desktop service does not answer sandboxed programs",
                hint: "run this command outside the sandbox")
        case BusErrorName.serviceUnknown, BusErrorName.nameHasNoOwner:
            CommandError.unavailable(
                "no desktop service runs in this session",
                hint: "start it: bellwire desktop, or systemctl --user start bellwire-desktop")
        case BusErrorName.unknownMethod:
            CommandError.refused(
                "the desktop service is older than this command",
                hint: "restart it: systemctl --user restart bellwire-desktop")
        default:
            CommandError.unavailable("the desktop service does not answer: \(failure)")
        }
    }
}
