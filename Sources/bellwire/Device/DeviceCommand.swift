import Base
import System
import WebPush

extension Command {
    static let device = Command(
        name: "device",
        summary: "add, list and remove the devices that may connect",
        verbs: [
            Verb("add", "NAME", addDevice), Verb("list", "", listDevices),
            Verb("remove", "NAME|ID", removeDevice), Verb("confirm", "[NAME|ID]", confirmDevice),
        ],
        details: """
            Asks the running server through its control socket. add prints the addresses of the
            new device, and says what to do with each. They hold the secret of the device and are
            shown only once. With this secret, somebody can see and change everything that the
            owner has. So use --receive-only for Firefox, KUnifiedPush and Sunup on a phone, which
            keep it in their settings: then it opens nothing else. A QR code has the address for
            the phone.

            remove ends the device and all its subscriptions; bellwire forget --device also
            overwrites what the server stored for it. A device that bellwire restore brought back
            may have been removed since the backup. It is not let in before confirm.
            """,
        options: [
            Option("owner", "OWNER", help: "the owner of the device (administrators only)"),
            Option("receive-only", help: "add a device that can only subscribe and receive"),
            Option("all", help: "confirm every device that waits for it"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire device add laptop",
                help: "let another desktop with Bellwire connect, and print its address"),
            Example(
                "bellwire device add phone --receive-only",
                help: "let a phone or a browser connect, for nothing but its pushes"),
        ]
    )

    static let devicesPath = "/api/v1/devices"

    private static func addDevice(_ arguments: Arguments) throws -> ExitCode {
        let device = DeviceRequest(
            arguments.positional[0], owner: arguments["owner"],
            isReceiveOnly: arguments.has("receive-only"))
        let answer = try ControlConnection(arguments).send("POST", devicesPath, device.json)
        return try arguments.print(answer, \MadeDevice.text)
    }

    private static func listDevices(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", devicesPath)
        return try arguments.print(answer, ListedDevice.text)
    }

    private static func removeDevice(_ arguments: Arguments) throws -> ExitCode {
        let connection = try ControlConnection(arguments)
        let device = try listedDevice(
            arguments.positional[0], of: arguments["owner"], connection)
        _ = try connection.send("DELETE", "\(devicesPath)/\(device.id)")
        try arguments.say("removed \(Printable.text(device.name))")
        return .success
    }

    private static func confirmDevice(_ arguments: Arguments) throws -> ExitCode {
        try confirm("device", at: devicesPath, arguments) { name, connection in
            if let name {
                let device = try listedDevice(name, of: arguments["owner"], connection)
                return [(device.id, device.name)]
            }
            return try allDevices(connection).filter { device in
                !device.isConfirmed && (arguments["owner"] ?? device.owner) == device.owner
            }.map { ($0.id, $0.name) }
        }
    }

    /// Lets in what a restore brought back. `find` gives what has the name, or without a name all
    /// that waits.
    static func confirm(
        _ kind: String, at path: String, _ arguments: Arguments,
        _ find: (String?, ControlConnection) throws -> [(id: Int, name: String)]
    ) throws -> ExitCode {
        guard arguments.positional.isEmpty == arguments.has("all") else {
            throw CommandError.usage(
                "use \(kind) confirm NAME or \(kind) confirm --all",
                hint: "see bellwire \(kind) --help")
        }
        let connection = try ControlConnection(arguments)
        let found = try find(arguments.positional.first, connection)
        for (id, name) in found {
            _ = try connection.send("POST", "\(path)/\(id)/confirm")
            try arguments.say("confirmed \(Printable.text(name))")
        }
        if found.isEmpty { try arguments.say("no \(kind) waits for confirmation") }
        return .success
    }

    private static func allDevices(_ connection: ControlConnection) throws -> [ListedDevice] {
        try [ListedDevice](answer: try connection.send("GET", devicesPath))
    }

    /// The device with this name or number.
    static func listedDevice(
        _ name: String, of owner: String?, _ connection: ControlConnection
    ) throws -> ListedDevice {
        let devices = try allDevices(connection)
        let byName = devices.filter { $0.name == name && (owner ?? $0.owner) == $0.owner }
        let found = byName.isEmpty ? devices.filter { "\($0.id)" == name } : byName
        guard let device = found.first else {
            throw CommandError.refused(
                "there is no device \(name)", hint: "run bellwire device list to see all devices")
        }
        guard found.count == 1 else {
            throw CommandError.usage(
                "several owners have a device \(name)", hint: "add --owner, or use its number")
        }
        return device
    }
}
