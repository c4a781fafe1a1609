import Base
import Cluster
import Configuration
import Crypto
import PushService
import System

/// What a start would meet on this machine.
struct ConfigurationFinding {
    struct Advice {
        let finding: String
        let hint: String
    }

    /// Each would make a start fail, or pushes.
    let problems: [CommandError]
    let advice: [Advice]
    /// The addresses of the name in base-url, as far as they are known.
    let addresses: [IPAddress]

    init(_ configuration: ServerConfiguration) {
        var problems: [CommandError] = []
        var advice: [Advice] = []
        func look(_ body: () throws -> Void) {
            do { try body() } catch { problems.append(CommandError(error)) }
        }
        look { try Self.checkClock() }
        look {
            guard FileStamp(of: configuration.state) != nil else { return }
            try PrivateFolder.check(configuration.state)
        }
        look { try KeyFolder.check(configuration) }
        look { try Self.store(configuration.remoteStore) }
        look { advice += try Self.servers(configuration.remoteStore) }
        look { _ = try DesktopHost.receivers(configuration) }
        look { advice += try Self.certificate(configuration) }
        let found = Self.addresses(of: configuration.expectedBaseURL?.origin.host)
        addresses = found ?? []
        advice += Self.machine(configuration)
        if let found { advice += Self.name(configuration, found) }
        self.problems = problems
        self.advice = advice
    }

    var adviceText: String {
        advice.map { advice in
            "advice: \(Printable.text(advice.finding))\n  \(Printable.text(advice.hint))\n"
        }.joined()
    }
}

extension ConfigurationFinding {
    /// With fewer files and connections, a few clients could use up all of them.
    private static let fewDescriptors = 4_096
    private static let littleSpace = 100 << 20

    private static func checkClock() throws {
        let now = WallClock.now
        guard ClockTrust.isPlausible(now) else {
            throw CommandError(
                message: "the clock of this machine is wrong: it shows \(LocalTime.text(Int(now)))",
                hint: "set it, for example by timedatectl set-ntp true")
        }
    }

    /// What the servers of the store are to be shown, and are checked with.
    private static func store(_ store: RemoteStore?) throws {
        if store != nil { try NatsLibrary.check() }
        if let authorities = store?.authorities { _ = try TextFile.read(authorities) }
        _ = try store?.checkedCredentials()
    }

    /// What the servers of the store tell of themselves, if they can be reached from here now.
    private static func servers(_ store: RemoteStore?) throws -> [Advice] {
        // What is wrong with the files is said already.
        guard let store, let settings = try? ClusterNode.settings(store) else { return [] }
        let report: ServerReport?
        do { report = try ClusterConnection.serverReport(settings) } catch {
            return [
                Advice(
                    finding: error.description,
                    hint: "run this again when the servers of NATS can be reached")
            ]
        }
        try ClusterNode.check(report, store)
        let doubtful = (report?.unsynced ?? []) + (report?.unsafe ?? [])
        guard !doubtful.isEmpty else { return [] }
        return [
            Advice(
                finding: "servers of NATS may lose what they confirm if the power fails: "
                    + ClusterNode.names(doubtful),
                hint: "let them sync each write, and upgrade them to \(ClusterNode.safeVersions)")
        ]
    }

    private static func certificate(_ configuration: ServerConfiguration) throws -> [Advice] {
        guard let files = ServerCertificates.files(configuration) else {
            let missing = MissingCertificate(configuration)
            return missing.map { [Advice(finding: $0.finding, hint: $0.hint)] } ?? []
        }
        let warnings = try CertificateStore(files).warnings(now: WallClock.now)
        if let warning = warnings.first(where: { !$0.isAdvice }) {
            throw CommandError(message: warning.description, hint: warning.hint)
        }
        return warnings.map { Advice(finding: $0.description, hint: $0.hint) }
    }

    private static func machine(_ configuration: ServerConfiguration) -> [Advice] {
        var advice: [Advice] = []
        // A limit that cannot be read will be reported by the start.
        if let limit = try? DescriptorLimit.raise(), limit < fewDescriptors {
            advice.append(
                Advice(
                    finding: "the server may open only \(limit) files and connections",
                    hint: "set LimitNOFILE=524288 in the unit, or raise ulimit -Hn"))
        }
        if let space = FreeSpace.bytes(at: configuration.state), space < littleSpace {
            advice.append(
                Advice(
                    finding: "only \(space >> 20) MiB are free for \(configuration.state)",
                    hint: "free some space: without it the server refuses pushes"))
        }
        return advice
    }

    /// Nil if there is no answer in time.
    private static func addresses(of host: String?) -> [IPAddress]? {
        guard let host else { return nil }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(literal).map { [$0] }
            ?? NameLookup.addresses(of: host, within: .seconds(3))
    }

    /// Where base-url leads, as far as the addresses tell.
    private static func name(
        _ configuration: ServerConfiguration, _ addresses: [IPAddress]
    ) -> [Advice] {
        guard let host = configuration.baseURL?.origin.host else { return [] }
        guard let first = addresses.first else {
            return [
                Advice(
                    finding: "\(host), the name in base-url, has no address",
                    hint: "add it to the DNS, or correct base-url")
            ]
        }
        let own = LocalAddresses.all
        guard !addresses.contains(where: { $0.isLoopback || own.contains($0) }) else { return [] }
        return [
            Advice(
                finding: "base-url leads to \(first), which is not an address of this machine",
                hint: "a router or proxy there must pass it on; bellwire test tries the whole way")
        ]
    }
}
