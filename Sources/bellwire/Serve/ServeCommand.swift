import Base
import PushService
import System

extension Command {
    static let serve = Command(
        name: "serve",
        summary: "run the push service",
        details: """
            Without a configuration it listens on port 8443 of this machine only, with a
            certificate it makes itself. Prints "bellwire: ready BASE-URL" on standard output once
            all listeners accept connections; everything else goes to standard error. SIGHUP reads
            the certificates, the configuration and the desktop's receivers again. SIGTERM finishes
            the work in progress and ends the server within five seconds.

            You can set each key as an option, as a variable (BELLWIRE_BASE_URL; separate several
            values by spaces) or as a line in the file (base-url = URL). An option overrides a
            variable, and a variable overrides the file. The default file is
            ~/.config/bellwire/bellwire.conf, or /etc/bellwire/bellwire.conf for a system service.
            """,
        options: ConfigurationSources.options + [
            Option("desktop", help: "also do what bellwire desktop does, for this session"),
            Option(
                "checkout", "FOLDER",
                help: """
                    for deploy/run: the folder of the sources, whose Keys get a copy of the development \
                    CA; also prints first steps
                    """),
        ],
        examples: [
            Example(
                "bellwire serve --desktop",
                help: "serve this machine, and the applications of this session"),
            Example("bellwire serve --config bellwire.conf", help: "serve what a file says"),
        ]
    ) { arguments in
        let (log, manager) = (Log(), ServiceManager())
        let signals = SignalQueue()
        let given = try GivenSockets.inherited()
        let places = given.publicListeners.map(\.configured)
        let configure = { @Sendable in
            try ConfigurationSources.read(arguments, handedOver: places)
        }
        let configuration = try configure()
        let descriptors = try DescriptorLimit.raise()
        log.write(
            .info, "starting",
            [("version", ProgramVersion.text), ("descriptors", "\(descriptors)")])
        if !ClockTrust.isPlausible(WallClock.now) {
            log.write(
                .error, "clock-wrong",
                [("advice", "set the clock of this machine, for example by timedatectl")])
        }
        let hasDesktop = arguments.has("desktop")
        let checkout = arguments["checkout"].map { Checkout($0) }
        let ports = try OpenPorts(configuration, given, log)
        let further = hasDesktop ? [try LocalReceiver.prepare(configuration.state)] : []
        let server = try PushServer(
            configuration, given, ports, further: further, checkout, log, configure: configure)
        try server.start()
        let desktop = hasDesktop ? LocalDesktop(of: server, configuration, log) : nil
        announce(server, manager, log)
        if let checkout {
            let shown: FirstSteps.Desktop =
                desktop != nil ? .running : hasDesktop ? .failed : .notAsked
            StandardError.write(FirstSteps(in: checkout, shown).text)
        }
        Supervisor(
            server: server, desktop: desktop, manager: manager, signals: signals, log: log,
            configure: configure
        ).watch()
        manager.notify(.stopping)
        let hasMoved = server.hasMoved
        let code = hasMoved || server.mustStartAgain ? ExitCode.unavailable : .success
        LastResort.arm(log, "server-hangs", code)
        log.write(.info, "ending")
        desktop?.end()
        server.end(log)
        if hasMoved, !manager.isThere { startAgain(log) }
        return code
    }

    /// Nobody else does.
    private static func startAgain(_ log: Log) {
        let error = ProgramStart.anew(CommandLine.arguments)
        log.write(.error, "cannot-start-again", [("reason", error.description)])
    }

    private static func announce(_ server: PushServer, _ manager: ServiceManager, _ log: Log) {
        if let certificates = server.certificates {
            certificates.warn(log)
            if let missing = MissingCertificate(server.configuration) {
                missing.warn(log)
            } else if let development = certificates.development, development.isNew {
                StandardError.write(
                    development.instructions(for: "\(server.baseURL)/health") + "\n")
            }
        }
        log.write(.info, "ready", [("base-url", server.baseURL.description)])
        do throws(SystemError) {
            try StandardOutput.write("bellwire: ready \(server.baseURL)\n")
        } catch {
            // The parent does not read; continue without it.
            log.write(.warning, "ready-not-heard", [("reason", error.description)])
        }
        manager.notify(.status("serving \(server.baseURL)"))
        manager.notify(.ready)
    }
}

/// What to type into a second terminal to see a first notification.
struct FirstSteps {
    enum Desktop {
        case running, notAsked, failed
    }

    let text: String

    init(in checkout: Checkout, _ desktop: Desktop) {
        let programs = ShellWord.quoted(Printable.text(checkout.path + "/.build/release"))
        let place =
            switch desktop {
            case .running: "The screen shows what it sends."
            case .notAsked:
                "There is no session bus, so nothing is shown on a screen; bellwire watch prints it."
            case .failed: "The log above says why no screen shows it; bellwire watch prints it."
            }
        text = """
            for a first notification, type into another terminal:
              export PATH=\(programs):$PATH
              bellwire topic add builds
            It prints a line with curl to try. \(place)

            """
    }
}
