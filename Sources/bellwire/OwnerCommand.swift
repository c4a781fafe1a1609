import Base
import System

extension Command {
    static let owner = Command(
        name: "owner",
        summary: "add, list and remove the owners of devices",
        forms: ["add NAME", "list", "remove NAME"],
        details: """
            Asks the running server through its control socket. Messages that wait for an owner's
            devices count against that owner only. bellwire device add --owner NAME also adds a
            missing owner. remove ends all devices of the owner and all their subscriptions. A user
            of this machine is the owner uid:NUMBER; administrators are the owner admin.
            """,
        options: ControlConnection.options + [.json],
        examples: [
            Example("bellwire owner list", help: "list what each owner has on the server"),
            Example(
                "bellwire owner add ann",
                help: "add an owner, whose devices have limits of their own"),
        ]
    ) { arguments in
        switch (arguments.positional.first, arguments.positional.count) {
        case ("add", 2): return try addOwner(arguments.positional[1], arguments)
        case ("list", 1): return try listOwners(arguments)
        case ("remove", 2): return try removeOwner(arguments.positional[1], arguments)
        default:
            throw CommandError.usage(
                "use owner add NAME, owner list or owner remove NAME",
                hint: "see bellwire owner --help")
        }
    }

    static let ownersPath = "/api/v1/owners"

    private static func addOwner(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        var body = JSONWriter()
        body.object { $0.member("name", name) }
        let answer = try ControlConnection(arguments).send("POST", ownersPath, body.bytes)
        if arguments.has("json") {
            try StandardOutput.write(String(decoding: answer, as: UTF8.self) + "\n")
        } else {
            try StandardOutput.write("added \(Printable.text(name))\n")
        }
        return .success
    }

    private static func listOwners(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", ownersPath)
        let isJSON = arguments.has("json")
        try StandardOutput.write(
            isJSON
                ? String(decoding: answer, as: UTF8.self) + "\n"
                : OwnerReport.text(try OwnerReport.owners(json: answer)))
        return .success
    }

    private static func removeOwner(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        let connection = try ControlConnection(arguments)
        let owner = try listedOwner(name, connection)
        _ = try connection.send("DELETE", "\(ownersPath)/\(owner.id)")
        if !arguments.has("json") {
            try StandardOutput.write("removed \(Printable.text(name))\n")
        }
        return .success
    }

    static func listedOwner(
        _ name: String, _ connection: ControlConnection
    ) throws -> OwnerReport.Owner {
        let owners = try OwnerReport.owners(json: try connection.send("GET", ownersPath))
        guard let owner = owners.first(where: { $0.name == name }) else {
            throw CommandError(
                message: "there is no owner \(name)",
                hint: "run bellwire owner list to see all owners",
                exitCode: .refused)
        }
        return owner
    }
}

/// Owners as text.
enum OwnerReport {
    struct Owner {
        let id: Int
        let name: String
        let devices: Int
        let endpoints: Int
        let registrations: Int
        let messages: Int
        let bytes: Int
    }

    static func owners(json: [UInt8]) throws -> [Owner] {
        let root = try? JSONDocument(json).root
        guard let list = root?["owners"], list.kind == .array else { throw unreadable }
        return try list.elements.map { element in
            func number(_ name: StaticString) throws -> Int {
                guard let number = element[name]?.integer else { throw unreadable }
                return Int(number)
            }
            guard let name = element["name"]?.text else { throw unreadable }
            return Owner(
                id: try number("id"), name: name, devices: try number("devices"),
                endpoints: try number("endpoints"), registrations: try number("registrations"),
                messages: try number("messages"), bytes: try number("bytes"))
        }
    }

    private static var unreadable: CommandError {
        CommandError(message: "the server's answer cannot be read")
    }

    static func text(_ owners: [Owner]) -> String {
        guard !owners.isEmpty else { return "no owners; add one with bellwire owner add NAME\n" }
        let width = owners.map { Printable.text($0.name).count }.max() ?? 0
        return owners.map { owner in
            let name = Printable.text(owner.name)
            let gap = String(repeating: " ", count: width - name.count)
            return "\(name)\(gap)  \(count(owner.devices, "device"))"
                + ", \(count(owner.endpoints, "endpoint"))"
                + ", \(count(owner.registrations, "registration"))"
                + ", \(waiting(owner))\n"
        }.joined()
    }

    private static func waiting(_ owner: Owner) -> String {
        let text = "\(count(owner.messages, "message")) waiting"
        return owner.messages == 0 ? text : text + " (\(count(owner.bytes, "byte")))"
    }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)" + (number == 1 ? "" : "s")
    }
}
