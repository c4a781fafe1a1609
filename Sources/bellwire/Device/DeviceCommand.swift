import Base
import System
import WebPush

extension Command {
    static let device = Command(
        name: "device",
        summary: "add, list and remove the devices that may connect",
        forms: ["add NAME", "list", "remove NAME|ID", "confirm NAME|ID"],
        details: """
            Asks the running server through its control socket. add prints the addresses of the
            new device, and says what to do with each. They hold the secret of the device and are
            shown only once. With this secret, somebody can see and change everything that the
            owner has. So use --receive-only for Firefox, KUnifiedPush and Sunup on a phone, which
            keep it in their settings: then it opens nothing else. A QR code has the address for
            the phone.

            A device that bellwire restore brought back may have been removed since the backup. It
            is not let in before confirm.
            """,
        options: [
            Option("owner", "OWNER", help: "the owner of the device (administrators only)"),
            Option("receive-only", help: "add a device that can only subscribe and receive"),
            Option("all", help: "confirm every device that waits for it"),
        ] + ControlConnection.options + [.json],
        examples: [
            Example(
                "bellwire device add laptop",
                help: "let another desktop with Bellwire connect, and print its address"),
            Example(
                "bellwire device add phone --receive-only",
                help: "let a phone or a browser connect, for nothing but its pushes"),
        ]
    ) { arguments in
        switch (arguments.positional.first, arguments.positional.count) {
        case ("add", 2): return try addDevice(arguments.positional[1], arguments)
        case ("list", 1): return try listDevices(arguments)
        case ("remove", 2): return try removeDevice(arguments.positional[1], arguments)
        case ("confirm", 2) where !arguments.has("all"):
            return try confirmDevice(arguments.positional[1], arguments)
        case ("confirm", 1) where arguments.has("all"): return try confirmAll(arguments)
        default:
            throw CommandError.usage(
                "use device add NAME, device list, device remove NAME or device confirm NAME",
                hint: "see bellwire device --help")
        }
    }

    static let devicesPath = "/api/v1/devices"

    private static func addDevice(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        var body = JSONWriter()
        body.object { writer in
            writer.member("name", name)
            if let owner = arguments["owner"] { writer.member("owner", owner) }
            if arguments.has("receive-only") { writer.member("receive_only", true) }
        }
        let answer = try ControlConnection(arguments).send("POST", devicesPath, body.bytes)
        if arguments.has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write("\n")
            return .success
        }
        var device = try DeviceReport.Added(json: answer)
        device.isReceiveOnly = arguments.has("receive-only")
        try StandardOutput.write(device.text)
        return .success
    }

    private static func listDevices(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", devicesPath)
        if arguments.has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write("\n")
            return .success
        }
        try StandardOutput.write(DeviceReport.text(try DeviceReport.devices(json: answer)))
        return .success
    }

    private static func removeDevice(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        let connection = try ControlConnection(arguments)
        let device = try listedDevice(name, of: arguments["owner"], connection)
        _ = try connection.send("DELETE", "\(devicesPath)/\(device.id)")
        if !arguments.has("json") {
            try StandardOutput.write("removed \(Printable.text(device.name))\n")
        }
        return .success
    }

    private static func confirmDevice(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        let connection = try ControlConnection(arguments)
        let device = try listedDevice(name, of: arguments["owner"], connection)
        return try confirm([device], arguments, connection)
    }

    private static func confirmAll(_ arguments: Arguments) throws -> ExitCode {
        let connection = try ControlConnection(arguments)
        let devices = try DeviceReport.devices(json: try connection.send("GET", devicesPath))
        let waiting = devices.filter { device in
            !device.isConfirmed && (arguments["owner"].map { $0 == device.owner } ?? true)
        }
        return try confirm(waiting, arguments, connection)
    }

    private static func confirm(
        _ devices: [DeviceReport.Device], _ arguments: Arguments, _ connection: ControlConnection
    ) throws -> ExitCode {
        for device in devices {
            _ = try connection.send("POST", "\(devicesPath)/\(device.id)/confirm")
            guard !arguments.has("json") else { continue }
            try StandardOutput.write("confirmed \(Printable.text(device.name))\n")
        }
        if devices.isEmpty, !arguments.has("json") {
            try StandardOutput.write("no device waits for confirmation\n")
        }
        return .success
    }

    /// The device with this name or number.
    static func listedDevice(
        _ name: String, of owner: String?, _ connection: ControlConnection
    ) throws -> DeviceReport.Device {
        let devices = try DeviceReport.devices(json: try connection.send("GET", devicesPath))
        let byName = devices.filter { device in
            device.name == name && (owner.map { $0 == device.owner } ?? true)
        }
        let found = byName.isEmpty ? devices.filter { "\($0.id)" == name } : byName
        guard let device = found.first else {
            throw CommandError(
                message: "there is no device \(name)",
                hint: "run bellwire device list to see all devices",
                exitCode: .refused)
        }
        guard found.count == 1 else {
            throw CommandError.usage(
                "several owners have a device \(name)", hint: "add --owner, or use its number")
        }
        return device
    }
}

extension Command {
    static let page = Command(
        name: "ui",
        summary: "make a link that opens the status page",
        details: """
            The link works once, for five minutes; on a terminal there is also a QR code of it, for
            a phone. The page shows devices, registrations, errors and the last events, and has your
            rights: root and the service's own user see everything, any other user only their own. A
            session ends after 12 hours, or when the server is restarted.
            """,
        options: [Option("open", help: "also open it in your browser")] + serverOptions,
        examples: [
            Example("bellwire ui", help: "print a link to the status page"),
            Example("bellwire ui --open", help: "open the status page in your browser"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("ui takes options only", hint: "see bellwire ui --help")
        }
        let control = try ControlConnection(arguments)
        let answer = try control.send("POST", "/api/v1/page-links")
        guard let url = (try? JSONDocument(answer))?.root["url"]?.text else {
            throw CommandError(message: "the server's answer cannot be read")
        }
        if arguments.has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write("\n")
        } else {
            try StandardOutput.write("\(url)\n" + picture(of: url))
        }
        guard arguments.has("open") else { return .success }
        var opener = LinkOpener()
        guard let link = ExternalLink(url), (try? opener.open(link, token: nil)) != nil else {
            throw CommandError(
                message: "xdg-open cannot be run",
                hint: "open the link by hand, or install xdg-utils")
        }
        return .success
    }

    /// For who reads it on another screen; a program needs one line, and a phone cannot come to an
    /// address of this machine.
    private static func picture(of url: String) -> String {
        let isHere = Origin(url: url)?.isLoopback ?? false
        return StandardOutput.isTerminal && !isHere ? CodePicture.text(of: url) : ""
    }
}
