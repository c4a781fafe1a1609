import Base
import System

extension Command {
    static let forget = Command(
        name: "forget",
        summary: "remove a device or an owner, and leave no trace of it",
        details: """
            Asks the running server through its control socket. Removes what bellwire device remove
            and bellwire owner remove remove: subscriptions, registrations, waiting messages,
            notifications and chats. It then overwrites all of that in the server's database, and
            empties its log of changes. What stays is a hash of each endpoint, so that senders learn
            that it is gone. Backups stay as they are: delete those that you made before. Users of
            this machine may forget their own devices, and themselves.
            """,
        options: [
            Option("device", "NAME|ID", help: "forget this device"),
            Option(
                "owner", "OWNER",
                help: "forget this owner; with --device, say whose device it is"),
        ] + ControlConnection.options + [.json],
        examples: [
            Example(
                "bellwire forget --device laptop",
                help: "remove a device, and overwrite what the server stored for it"),
            Example(
                "bellwire forget --owner ann",
                help: "do the same for everything that belongs to ann"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty, arguments.has("device") || arguments.has("owner") else {
            throw CommandError.usage(
                "use forget --device NAME or forget --owner NAME",
                hint: "see bellwire forget --help")
        }
        let connection = try ControlConnection(arguments)
        let forgotten: String
        if let name = arguments["device"] {
            let device = try listedDevice(name, of: arguments["owner"], connection)
            _ = try connection.send("POST", "\(devicesPath)/\(device.id)/forget")
            forgotten = device.name
        } else {
            let owner = try listedOwner(arguments["owner"] ?? "", connection)
            _ = try connection.send("POST", "\(ownersPath)/\(owner.id)/forget")
            forgotten = owner.name
        }
        if !arguments.has("json") {
            try StandardOutput.write("forgot \(Printable.text(forgotten))\n")
        }
        return .success
    }
}
