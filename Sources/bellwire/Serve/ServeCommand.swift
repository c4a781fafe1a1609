import System

extension Command {
    static let serve = Command(
        name: "serve",
        summary: "run the push service",
        details: """
            Without any configuration it listens on port 8443 of this machine alone, with a
            certificate of its own making. Prints "bellwire: ready BASE-URL" on standard output once
            all listeners accept; everything else goes to standard error. SIGHUP reads certificates,
            configuration and the receivers of a desktop again, SIGTERM finishes what is under way and
            ends, within five seconds.

            Each key is an option, a variable (BELLWIRE_BASE_URL; several values are separated by
            blanks) or a line of the file (base-url = URL); an option wins over a variable, that
            over the file. The usual file is ~/.config/bellwire/bellwire.conf, for a service of the
            system /etc/bellwire/bellwire.conf.
            """,
        options: ConfigurationSources.options + [
            Option("desktop", help: "do what bellwire desktop does as well, for this session")
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("serve takes options only", hint: "bellwire serve --help")
        }
        let (log, manager) = (Log(), ServiceManager())
        let signals = SignalQueue()
        let given = try GivenSockets.take()
        let places = given.faces.map(\.configured)
        let configure = { try ConfigurationSources.read(arguments, handedOver: places) }
        let configuration = try configure()
        let descriptors = try DescriptorLimit.raise()
        log.write(
            .info, "starting",
            [("version", ProgramVersion.text), ("descriptors", "\(descriptors)")])
        let hasDesktop = arguments.has("desktop")
        let further = hasDesktop ? [try LocalReceiver.prepare(configuration.state)] : []
        let server = try PushServer(configuration, given, further: further, log)
        try server.start()
        let desktop = hasDesktop ? LocalDesktop(of: server, configuration, log) : nil
        announce(server, manager, log)
        Supervisor(
            server: server, desktop: desktop, manager: manager, signals: signals, log: log,
            configure: configure
        ).watch(configuration)
        manager.notify(.stopping)
        LastResort.arm(log, "server-hangs")
        log.write(.info, "ending")
        desktop?.end()
        server.end(log)
        return .success
    }

    private static func announce(_ server: PushServer, _ manager: ServiceManager, _ log: Log) {
        if let certificates = server.certificates {
            certificates.warn(log)
            if let development = certificates.development, development.isNew {
                StandardError.write(
                    development.instructions(for: "\(server.baseURL)/health") + "\n")
            }
        }
        log.write(.info, "ready", [("base-url", server.baseURL.description)])
        do throws(SystemError) {
            try StandardOutput.write("bellwire: ready \(server.baseURL)\n")
        } catch {
            // Who started it does not listen; others may.
            log.write(.warning, "ready-not-heard", [("reason", error.description)])
        }
        manager.notify(.status("serving \(server.baseURL)"))
        manager.notify(.ready)
    }
}
