import Base
import System

extension Command {
    static let export = Command(
        name: "export",
        summary: "write down what the server has about a device or an owner",
        forms: ["[FILE]"],
        details: """
            Asks the running server through its control socket, and writes one JSON document into a
            new file that only you can read, or to standard output. It shows one moment: devices,
            user agents, registrations, endpoints, waiting messages, callbacks with what waits for
            them, notifications and chats. Messages are as they came: those for an application that
            holds its own keys stay encrypted.

            Keys, secrets and addresses are left out, because whoever has them could push, connect or
            decrypt; the document lists what is missing. Who may forget a device or an owner may
            also export it: administrators everything, users of this machine what belongs to them.
            """,
        options: [
            Option("device", "NAME|ID", help: "export this device"),
            Option(
                "owner", "OWNER",
                help: "export this owner; with --device, say whose device it is"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire export --owner ann ann.json",
                help: "write down everything that the server has about Ann"),
            Example(
                "bellwire export --device laptop",
                help: "print what the server has about your device laptop"),
        ]
    ) { arguments in
        let (connection, path, name) = try place("export", of: arguments)
        guard let file = arguments.positional.first, file != "-" else {
            try writeExport(path, connection) { try StandardOutput.write($0) }
            return .success
        }
        try saveExport(path, connection, as: file)
        let names = (Printable.text(name), Printable.text(file))
        return try arguments.print("exported \(names.0) to \(names.1)\n") { writer in
            writer.member("file", file)
        }
    }

    /// The path of `verb` for the device or the owner that is named, and what it is called.
    private static func place(
        _ verb: String, of arguments: Arguments
    ) throws -> (ControlConnection, path: String, name: String) {
        guard arguments.has("device") || arguments.has("owner") else {
            throw CommandError.usage(
                "use \(verb) --device NAME or \(verb) --owner NAME",
                hint: "see bellwire \(verb) --help")
        }
        let connection = try ControlConnection(arguments)
        if let name = arguments["device"] {
            let device = try listedDevice(name, of: arguments["owner"], connection)
            return (connection, "\(devicesPath)/\(device.id)/\(verb)", device.name)
        }
        let owner = try listedOwner(arguments["owner"] ?? "", connection)
        return (connection, "\(ownersPath)/\(owner.id)/\(verb)", owner.name)
    }

    /// The file is there when all of it is, and never replaces another.
    private static func saveExport(
        _ path: String, _ connection: ControlConnection, as file: String
    ) throws {
        // What is there already is found before the server is asked for everything.
        guard FileStamp(of: file) == nil else { throw isThere(file) }
        let draft = try DraftFile(for: try RealPath.ofFile(file))
        try writeExport(path, connection) { try draft.append($0) }
        do throws(SystemError) { try draft.publishNew() } catch {
            throw error.isNameTaken ? isThere(file) : error
        }
    }

    private static func isThere(_ file: String) -> CommandError {
        CommandError(message: "\(file) exists", hint: "choose another name, or move it away")
    }

    /// Fetches the parts of the document, one after the other.
    private static func writeExport(
        _ path: String, _ connection: ControlConnection, _ write: (Span<UInt8>) throws -> Void
    ) throws {
        let answer = try connection.send("POST", path)
        guard let number = try JSONNode(answer: answer)["export"]?.integer else {
            throw CommandError.unreadable
        }
        while let part = try connection.part(of: number) { try write(part.span) }
    }
}

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
        ] + serverOptions,
        examples: [
            Example(
                "bellwire forget --device laptop",
                help: "remove a device, and overwrite what the server stored for it"),
            Example(
                "bellwire forget --owner ann",
                help: "do the same for everything that belongs to ann"),
        ]
    ) { arguments in
        let (connection, path, name) = try place("forget", of: arguments)
        _ = try connection.send("POST", path)
        try arguments.say("forgot \(Printable.text(name))")
        return .success
    }
}
