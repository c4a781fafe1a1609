import Base
import Configuration
import Reactor
import System
import TLS

extension Command {
    static let check = Command(
        name: "check",
        summary: "show the configuration in force and its mistakes",
        details: """
            Takes the options of bellwire serve and reads the same files, but changes nothing. Each
            line says where its value comes from; secrets are left out. The exit code is 0 if the
            server would start, as far as that can be known beforehand. If base-url leads to this
            machine or to a private address, check prints the settings that Synapse, MollySocket
            and Nextcloud need before they push there. It also lists what the server has set aside
            because it crashed on it twice.
            """,
        options: ConfigurationSources.options + [.json]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("check takes options only", hint: "see bellwire check --help")
        }
        let configuration = try ConfigurationSources.read(arguments)
        let problems = problems(of: configuration)
        let advice = advice(configuration)
        // A start reports it if the file cannot be read.
        let setAside = SetAsideReport((try? CrashFile.entries(in: configuration.state)) ?? [])
        if arguments.has("json") {
            try StandardOutput.write(json(configuration, problems, advice, setAside) + "\n")
        } else {
            try StandardOutput.write(configuration.text + "\n" + openings(configuration))
            if let advice { try StandardOutput.write("\n" + advice.text) }
            if !setAside.entries.isEmpty { try StandardOutput.write("\n" + setAside.text) }
            for problem in problems { problem.report() }
        }
        return problems.first?.exitCode ?? .success
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

    /// What would make a start fail.
    private static func problems(of configuration: ServerConfiguration) -> [CommandError] {
        var problems: [CommandError] = []
        func look(_ body: () throws -> Void) {
            do { try body() } catch { problems.append(CommandError(error)) }
        }
        look {
            guard FileStamp(of: configuration.state) != nil else { return }
            try PrivateFolder.check(configuration.state)
        }
        look { try KeyFolder.check(configuration) }
        look { _ = try DesktopHost.receivers(configuration) }
        look {
            guard let files = ServerCertificates.files(configuration) else { return }
            let store = try CertificateStore(files)
            guard let warning = store.warnings(now: WallClock.now).first else { return }
            throw CommandError(message: warning.description)
        }
        return problems
    }

    /// A failed look-up is not a mistake of the configuration, so it is not reported.
    private static func advice(_ configuration: ServerConfiguration) -> SenderAdvice? {
        guard let baseURL = configuration.expectedBaseURL else { return nil }
        let host = baseURL.origin.host
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let addresses =
            IPAddress(literal).map { [$0] }
            ?? NameLookup.addresses(of: host, within: .seconds(3)) ?? []
        return SenderAdvice(
            baseURL, addresses: addresses, ownAddresses: LocalAddresses.all)
    }

    private static func json(
        _ configuration: ServerConfiguration, _ problems: [CommandError], _ advice: SenderAdvice?,
        _ setAside: SetAsideReport
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("settings")
            configuration.write(to: &writer)
            writer.name("listeners")
            writer.array { writer in
                for entrance in configuration.entrances {
                    writer.object { writer in
                        writer.member("address", entrance.place)
                        writer.member("open_to", entrance.sentence)
                        writer.member("open_to_strangers", entrance.isOpenToStrangers)
                    }
                }
            }
            writer.name("problems")
            writer.array { writer in
                for problem in problems {
                    writer.object { writer in
                        writer.member("error", problem.message)
                        if let hint = problem.hint { writer.member("hint", hint) }
                    }
                }
            }
            writer.name("set_aside")
            setAside.write(to: &writer)
            guard let advice else { return }
            writer.name("senders")
            advice.write(to: &writer)
        }
        return writer.text
    }
}
