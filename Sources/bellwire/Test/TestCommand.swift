import Base
import Configuration
import Desktop
import HTTP
import System
import WebPush

extension Command {
    static let test = Command(
        name: "test",
        summary: "send a message the whole way and name the step where it fails",
        details: """
            Adds a device through the control socket of the running server, connects as that device
            and pushes to it: once while it is connected, once while it is away. If a desktop
            service runs in this session, it then registers as an application and pushes to that, and
            asks who shows notifications, and who listens to topics.
            Each line says that a step works, or what to change. At the end, the test removes
            everything it added, and says what to try next.

            Where no server runs, it connects as the device whose address is the first in the
            file receivers. --url names another address; every form that bellwire device add
            prints will do.
            """,
        options: [
            Option("url", "URL", help: "the address of a device, as in the file receivers"),
            Option("ca-file", "FILE", help: "trust these certificates instead of the system's"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire test",
                help: "test the server on this machine, and the desktop of this session"),
            Example(
                "bellwire test --url wss://push.example.org/u/SECRET",
                help: "test a server elsewhere, as the device with this address"),
        ]
    ) { arguments in
        let report = SelfTestReport(isJSON: arguments.has("json"))
        let isOurs = try perform(arguments, report)
        if !report.hasFailed {
            report.end(NextSteps.text(isServerHere: isOurs, isComplete: !report.hasSkipped))
        }
        return report.hasFailed ? .failure : .success
    }

    /// Returns whether a server on this machine was tested.
    private static func perform(_ arguments: Arguments, _ report: SelfTestReport) throws -> Bool {
        if let text = arguments["url"] {
            try run(address(text), arguments, report, isNew: false)
            return false
        }
        let device: TestDevice
        do {
            device = try TestDevice(arguments)
        } catch let error as CommandError where error.exitCode == .unavailable {
            guard let address = try receiver(arguments) else { throw error }
            try run(address, arguments, report, isNew: false)
            return false
        }
        defer { device.remove() }
        try run(address(device.url), arguments, report, isNew: true)
        try AddressTest.run(try ControlConnection(arguments), report: report.add)
        return true
    }

    private static func address(_ text: String) throws -> ReceiverAddress {
        guard let address = ReceiverAddress(text) else {
            throw CommandError.usage(
                "this is not the address of a device", hint: ReceiverAddress.hint)
        }
        return address
    }

    /// A machine without a server may have the address of one. With `--state`, a server of this
    /// machine is meant.
    private static func receiver(_ arguments: Arguments) throws -> ReceiverAddress? {
        guard !arguments.has("state") else { return nil }
        return try DesktopHost.receivers(ConfigurationSources.read(arguments)).first
    }

    private static func run(
        _ address: ReceiverAddress, _ arguments: Arguments, _ report: SelfTestReport, isNew: Bool
    ) throws {
        guard try find(address.url.host, report) else { return }
        let authorities = try authorities(arguments, for: address.url.host)
        try ReceiverTestRun.run(
            address.url, baseURL: address.baseURL, isCredentialNew: isNew,
            authorities: authorities, report: report.add)
        guard !report.hasFailed else { return }
        try DesktopTestRun.run(authorities: authorities, report: report.add)
        // Only the desktop service shows anything, so no other session needs a screen.
        guard !report.hasSkipped else { return }
        try ScreenTest.run(report: report.add)
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
        let configuration = try ConfigurationSources.read(arguments)
        return arguments["ca-file"] ?? DevelopmentAuthority.file(configuration, for: host)
            ?? configuration.values[.receiverAuthorities]
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
        let made = try MadeDevice(
            answer: try control.send("POST", Self.path, DeviceRequest(Self.name).json))
        url = made.url
    }

    /// A failure here says nothing about the tested way; the next test removes the rest.
    func remove() { try? Self.removeAll(control) }

    private static func removeAll(_ control: ControlConnection) throws {
        let devices = try [ListedDevice](answer: try control.send("GET", path))
        for device in devices where device.name == name {
            _ = try control.send("DELETE", "\(path)/\(device.id)")
        }
    }
}
