import Base
import Configuration
import System
import WebPush

extension Command {
    static let check = Command(
        name: "check",
        summary: "show the configuration in force and its mistakes",
        details: """
            Takes the options of bellwire serve and reads the same files, but changes nothing. Each
            line says where its value comes from; secrets are left out. Mistakes come first, and
            advice last. The exit code is 0 if the server would start, as far as that can be known
            beforehand. If base-url leads to this machine or to a private address, check prints the
            settings that Synapse, MollySocket and Nextcloud need before they push there. It also
            lists what the server has set aside because it crashed on it twice, and says what to do
            next.

            With --live it asks the running server, through its control socket, whether it accepts
            pushes. The exit code is then 0 if it does.
            """,
        options: ConfigurationSources.options + [
            Option("live", help: "ask the running server instead"), .json,
        ],
        examples: [
            Example(
                "bellwire check --config bellwire.conf",
                help: "find the mistakes in a file before the server reads it"),
            Example(
                "bellwire check --live",
                help: "ask the running server whether it accepts pushes"),
        ]
    ) { arguments in
        if arguments.has("live") { return try askServer(arguments) }
        let configuration = try ConfigurationSources.read(arguments)
        let finding = ConfigurationFinding(configuration)
        let advice = configuration.expectedBaseURL.flatMap { baseURL in
            SenderAdvice(
                baseURL, addresses: finding.addresses, ownAddresses: LocalAddresses.all)
        }
        // A mistake is what to mend next, and so is a certificate that is missing.
        let isFine = finding.problems.isEmpty && MissingCertificate(configuration) == nil
        let next = isFine ? NextStep(configuration) : nil
        // A start reports it if the file cannot be read.
        let setAside = SetAsideReport((try? CrashFile.entries(in: configuration.state)) ?? [])
        if arguments.has("json") {
            try StandardOutput.write(json(configuration, finding, advice, setAside, next))
        } else {
            for problem in finding.problems { problem.report() }
            try StandardOutput.write(
                configuration.text + "\n" + openings(configuration) + "\n"
                    + ConfigurationSources.reloadSentence + "\n")
            if !finding.advice.isEmpty { try StandardOutput.write("\n" + finding.adviceText) }
            if let advice { try StandardOutput.write("\n" + advice.text) }
            if !setAside.entries.isEmpty { try StandardOutput.write("\n" + setAside.text) }
            if let next { try StandardOutput.write("\nnext: \(next.text)\n") }
        }
        return finding.problems.first?.exitCode ?? .success
    }

    private static func askServer(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", "/health")
        return try arguments.print(answer) { (root: JSONNode) in
            let url = Printable.text(root["base_url"]?.text ?? "")
            return "live: \(url), version \(Printable.text(root["version"]?.text ?? ""))\n"
        }
    }

    /// Who can use each listener, one sentence per line.
    private static func openings(_ configuration: ServerConfiguration) -> String {
        var lines = configuration.entrances.map { "\($0.place): \($0.sentence)" }
        lines.append("\(configuration.state)/control.sock: \(configuration.controlSentence)")
        if let metrics = configuration.metricsListener {
            lines.append("\(metrics): \(configuration.metricsSentence)")
        }
        return lines.map { Printable.text($0) + ".\n" }.joined()
    }

    private static func json(
        _ configuration: ServerConfiguration, _ finding: ConfigurationFinding,
        _ advice: SenderAdvice?, _ setAside: SetAsideReport, _ next: NextStep?
    ) -> String {
        JSONWriter.line { writer in
            writer.name("settings")
            configuration.write(to: &writer)
            writer.objects("listeners", configuration.entrances) { entrance, writer in
                writer.member("address", entrance.place)
                writer.member("open_to", entrance.sentence)
                writer.member("open_to_strangers", entrance.isOpenToStrangers)
            }
            writer.objects("problems", finding.problems) { problem, writer in
                writer.member("error", problem.message)
                if let hint = problem.hint { writer.member("hint", hint) }
            }
            writer.objects("advice", finding.advice) { advice, writer in
                writer.member("finding", advice.finding)
                writer.member("hint", advice.hint)
            }
            writer.objects("set_aside", setAside.entries, SetAsideReport.write)
            if let next { writer.member("next", next.text) }
            guard let advice else { return }
            writer.name("senders")
            advice.write(to: &writer)
        }
    }
}

/// What to do after an installation, by what is there.
struct NextStep {
    let text: String

    /// `isForThisMachine`: nobody comes from elsewhere.
    init(isForThisMachine: Bool, hasDesktop: Bool, isServing: Bool) {
        text =
            switch (isForThisMachine, hasDesktop, isServing) {
            case (true, false, _):
                """
                this machine has no desktop, and base-url names only this machine: set base-url and \
                the certificate in /etc/bellwire/bellwire.conf, as docs/server.md shows, and run \
                bellwire check --config /etc/bellwire/bellwire.conf
                """
            case (true, true, false): "run bellwire serve --desktop, and bellwire topic add NAME"
            case (false, _, false): "run systemctl enable --now bellwire.socket bellwire"
            case (true, true, true):
                "run bellwire topic add NAME for an address that shows notifications"
            case (false, _, true): "run bellwire device add NAME for each device that may connect"
            }
    }

    init(_ configuration: ServerConfiguration) {
        let control = try? ControlConnection(configuration, isNamed: false)
        self.init(
            isForThisMachine: configuration.expectedBaseURL?.origin.isLoopback ?? false,
            hasDesktop: Self.hasDesktop, isServing: control?.isThere ?? false)
    }

    /// A session has a bus, where it is said or where it always is.
    private static var hasDesktop: Bool {
        if Environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
        return Environment["XDG_RUNTIME_DIR"].map { FileStamp(of: $0 + "/bus") != nil } ?? false
    }
}
