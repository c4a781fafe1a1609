import Base
import System
import WebPush

extension Command {
    static let owner = Command(
        name: "owner",
        summary: "add, list and remove the owners of devices",
        verbs: [
            Verb("add", "NAME", addOwner), Verb("list", "", listOwners),
            Verb("remove", "NAME", removeOwner),
        ],
        details: """
            Asks the running server through its control socket. Messages that wait for an owner's
            devices count against that owner only. bellwire device add --owner NAME also adds a
            missing owner. remove ends all devices of the owner and all their subscriptions;
            bellwire forget --owner also overwrites what the server stored for them. A user of this
            machine is the owner uid:NUMBER; administrators are the owner admin.
            """,
        options: serverOptions,
        examples: [
            Example("bellwire owner list", help: "list what each owner has on the server"),
            Example(
                "bellwire owner add ann",
                help: "add an owner, whose devices have limits of their own"),
        ]
    )

    static let ownersPath = "/api/v1/owners"

    private static func addOwner(_ arguments: Arguments) throws -> ExitCode {
        let name = arguments.positional[0]
        let body = JSONWriter.object { $0.member("name", name) }
        let answer = try ControlConnection(arguments).send("POST", ownersPath, body)
        return try arguments.print(answer) { (_: JSONNode) in "added \(Printable.text(name))\n" }
    }

    private static func listOwners(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", ownersPath)
        return try arguments.print(answer, ListedOwner.text)
    }

    private static func removeOwner(_ arguments: Arguments) throws -> ExitCode {
        let connection = try ControlConnection(arguments)
        let owner = try listedOwner(arguments.positional[0], connection)
        _ = try connection.send("DELETE", "\(ownersPath)/\(owner.id)")
        try arguments.say("removed \(Printable.text(owner.name))")
        return .success
    }

    static func listedOwner(
        _ name: String, _ connection: ControlConnection
    ) throws -> ListedOwner {
        let owners = try [ListedOwner](answer: try connection.send("GET", ownersPath))
        guard let owner = owners.first(where: { $0.name == name }) else {
            throw CommandError.refused(
                "there is no owner \(name)", hint: "run bellwire owner list to see all owners")
        }
        return owner
    }
}

/// Owners as text.
extension ListedOwner {
    static func text(_ owners: [ListedOwner]) -> String {
        guard !owners.isEmpty else { return "no owners; add one with bellwire owner add NAME\n" }
        let width = owners.map { Printable.text($0.name).count }.max() ?? 0
        return owners.map { owner in
            let name = Printable.text(owner.name)
            let gap = String(repeating: " ", count: width - name.count)
            return "\(name)\(gap)  \(count(owner.devices, "device"))"
                + ", \(count(owner.endpoints, "endpoint"))"
                + ", \(count(owner.registrations, "registration"))"
                + ", \(amount(owner.messages, "waiting", owner.bytes))"
                + (owner.keptMessages == 0
                    ? "" : ", \(amount(owner.keptMessages, "kept", owner.keptBytes))") + "\n"
        }.joined()
    }

    private static func amount(_ messages: Int, _ state: String, _ bytes: Int) -> String {
        let text = "\(count(messages, "message")) \(state)"
        return messages == 0 ? text : text + " (\(count(bytes, "byte")))"
    }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)" + (number == 1 ? "" : "s")
    }
}
