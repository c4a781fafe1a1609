import Base
import Configuration
import HTTP
import Reactor
import System

extension Command {
    static let test = Command(
        name: "test",
        summary: "send a message the whole way and name the step where it fails",
        details: """
            Adds a device through the control socket of the running server, connects as that device
            and pushes to it: once while it is connected, once while it is away. If a desktop
            service runs in this session, it then registers as an application and pushes to that.
            Each line says that a step works, or what to change. At the end, the test removes
            everything it added.
            """,
        options: [
            Option(
                "url", "URL",
                help: "the address of a device, if you cannot reach the control socket"),
            Option("ca-file", "FILE", help: "trust these certificates instead of the system's"),
        ] + ControlConnection.options + [.json],
        examples: [
            Example(
                "bellwire test",
                help: "test the server on this machine, and the desktop of this session"),
            Example(
                "bellwire test --url https://push.example.org/u/SECRET",
                help: "test a server elsewhere, as the device with this address"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("test takes options only", hint: "see bellwire test --help")
        }
        let report = SelfTestReport(isJSON: arguments.has("json"))
        if let url = arguments["url"] {
            try run(url, arguments, report)
        } else {
            let device = try TestDevice(arguments)
            defer { device.remove() }
            try run(device.url, arguments, report)
        }
        return report.hasFailed ? .failure : .success
    }

    private static func run(
        _ page: String, _ arguments: Arguments, _ report: SelfTestReport
    ) throws {
        guard let end = page.place(of: "/u/"), page.hasPrefix("http"),
            let link = WebSocketURL("ws" + page.dropFirst(4))
        else {
            throw CommandError.usage(
                "the address of a device looks like https://HOST/u/SECRET",
                hint: "bellwire device add")
        }
        guard try find(link.host, report) else { return }
        let authorities = try authorities(arguments, for: link.host)
        try ReceiverTestRun.run(
            link, baseURL: String(page[..<end.lowerBound]),
            isCredentialNew: !arguments.has("url"), authorities: authorities, report: report.add)
        guard !report.hasFailed else { return }
        try DesktopTestRun.run(authorities: authorities, report: report.add)
    }

    /// The first step, before any connection.
    private static func find(_ host: String, _ report: SelfTestReport) throws -> Bool {
        let addresses =
            IPAddress(host).map { [$0] }
            ?? NameLookup.addresses(of: host, within: .seconds(10))
        guard let addresses, !addresses.isEmpty else {
            let finding = addresses == nil ? "no answer in time" : "no address"
            report.add(
                .failed(
                    .name, "\(finding) for \(host)",
                    advice: "add \(host) to the DNS or to /etc/hosts"))
            return false
        }
        let list = Set(addresses.map(\.description)).sorted().joined(separator: ", ")
        report.add(.passed(.name, "\(host) is \(list)"))
        return true
    }

    /// Trusts the development certificate only for a server on this machine.
    private static func authorities(_ arguments: Arguments, for host: String) throws -> String? {
        try arguments["ca-file"]
            ?? DevelopmentAuthority.file(ConfigurationSources.read(arguments), for: host)
    }
}

/// A device that exists during the test.
struct TestDevice {
    private static let path = "/api/v1/devices"
    /// Also identifies a device that an interrupted test left behind.
    private static let name = "bellwire test"

    let url: String
    private let control: ControlConnection

    init(_ arguments: Arguments) throws {
        control = try ControlConnection(arguments)
        try Self.removeAll(control)
        var body = JSONWriter()
        body.object { $0.member("name", Self.name) }
        url = try DeviceReport.Added(json: try control.send("POST", Self.path, body.bytes)).url
    }

    /// A failure here says nothing about the tested way; the next test removes the rest.
    func remove() { try? Self.removeAll(control) }

    private static func removeAll(_ control: ControlConnection) throws {
        let devices = try DeviceReport.devices(json: try control.send("GET", path))
        for device in devices where device.name == name {
            _ = try control.send("DELETE", "\(path)/\(device.id)")
        }
    }
}
