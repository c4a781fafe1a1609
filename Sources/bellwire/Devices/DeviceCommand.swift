import Base
import Outbound
import System

extension Command {
    static let device = Command(
        name: "device",
        summary: "let devices connect, and end their access",
        forms: ["add NAME", "list", "remove NAME|ID"],
        details: """
            Speaks to the running server by its control socket. add prints the addresses under which
            the device connects, once: they hold its secret. Firefox takes the first as
            dom.push.serverURL in about:config, KUnifiedPush and others take the second.
            """,
        options: [
            Option("owner", "OWNER", help: "whose device it is (administrators only)")
        ] + ControlConnection.options + [.json]
    ) { arguments in
        switch (arguments.positional.first, arguments.positional.count) {
        case ("add", 2): return try addDevice(arguments.positional[1], arguments)
        case ("list", 1): return try listDevices(arguments)
        case ("remove", 2): return try removeDevice(arguments.positional[1], arguments)
        default:
            throw CommandError.usage(
                "say device add NAME, device list, or device remove NAME",
                hint: "bellwire device --help")
        }
    }

    private static let devicesPath = "/api/v1/devices"

    private static func addDevice(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        var body = JSONWriter()
        body.object { writer in
            writer.member("name", name)
            if let owner = arguments["owner"] { writer.member("owner", owner) }
        }
        let answer = try ControlConnection(arguments).send("POST", devicesPath, body.bytes)
        if arguments.has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write("\n")
            return .success
        }
        let device = try DeviceReport.Added(json: answer)
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
        let devices = try DeviceReport.devices(json: try connection.send("GET", devicesPath))
        let byName = devices.filter { device in
            device.name == name && (arguments["owner"].map { $0 == device.owner } ?? true)
        }
        let found = byName.isEmpty ? devices.filter { "\($0.id)" == name } : byName
        guard let device = found.first else {
            throw CommandError(
                message: "there is no device \(name)", hint: "bellwire device list",
                exitCode: .refused)
        }
        guard found.count == 1 else {
            throw CommandError.usage(
                "several owners have a device \(name)", hint: "say which by --owner or its number")
        }
        _ = try connection.send("DELETE", "\(devicesPath)/\(device.id)")
        if !arguments.has("json") {
            try StandardOutput.write("removed \(Printable.text(device.name))\n")
        }
        return .success
    }
}
