import Base
import Crypto
import System

extension Command {
    static let keys = Command(
        name: "keys",
        summary: "make key files and show their public parts",
        verbs: [
            Verb("new", "KIND FILE", newKey), Verb("show", "FILE", showKey),
            Verb("rotate-master", "", rotateMaster),
        ],
        details: """
            Kinds of keys:
              receiver  a P-256 pair and an auth secret, to which pushes are encrypted
              vapid     a P-256 pair with which an application server signs its pushes
              master    the key that seals the secrets in the database

            A new file is readable by its owner only, and an existing file is never overwritten. A
            key file that others can read is refused. Everything printed is public.

            rotate-master makes the running server create a new master key and seal everything
            again while it serves. The command shows how far that is; the server goes on even if
            you interrupt the command. Backups made before that need the old key: keep a copy of it
            with those that bellwire backup made without keys.

            In a cluster you give each node the new key first: make it with keys new master
            master-next.json, copy it into the folder keys of each node, and send each SIGHUP.
            rotate-master on one of them then has all nodes use it, and says when the former key is
            no longer needed.
            """,
        options: serverOptions,
        examples: [
            Example("bellwire keys new vapid vapid.json", help: "make a key to sign pushes with"),
            Example(
                "bellwire keys rotate-master",
                help: "have the running server seal its secrets under a new key"),
        ]
    )

    private static func newKey(_ arguments: Arguments) throws -> ExitCode {
        guard let kind = StoredKey.Kind(rawValue: arguments.positional[0]) else {
            let kinds = StoredKey.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("unknown kind of key", hint: "use one of \(kinds)")
        }
        let key = try StoredKey.generate(kind)
        let json = try key.json()
        try KeyFile.create(arguments.positional[1], json.span)
        return try print(key, arguments)
    }

    private static func showKey(_ arguments: Arguments) throws -> ExitCode {
        try print(try storedKey(at: arguments.positional[0]), arguments)
    }

    private static func rotateMaster(_ arguments: Arguments) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        let signals = SignalQueue()
        let answer = try control.send("POST", masterKeyPath)
        let code = try arguments.print(answer) { (root: JSONNode) in
            let id = Printable.text(root["id"]?.text ?? "")
            return "master key \(id) is in use; the server is sealing old data again\n"
        }
        let end = follow(control, signals, Progress(Progress.Form(arguments)))
        if let end, end["shared"]?.bool == true { try tellEnd(end, arguments) }
        return code
    }

    /// What is left to do on the nodes of a cluster.
    private static func tellEnd(_ end: JSONNode, _ arguments: Arguments) throws {
        if let failure = end["failure"]?.text {
            throw CommandError(message: "the former master key stays: \(Printable.text(failure))")
        }
        let unopened = end["unopened"]?.integer ?? 0
        guard unopened == 0 else {
            throw CommandError(
                message: "\(unopened) rows cannot be unsealed, perhaps because they are damaged",
                hint: "keep the former key on all nodes, as master-former.json")
        }
        try arguments.say(
            "nothing is sealed under the former key any more: on each node, replace master.json by "
                + "master-next.json")
    }

    private static let masterKeyPath = "/api/v1/master-key"
    private static let followInterval = Duration.milliseconds(200)

    /// A server whose disk is full waits until there is room.
    private static let followPatience: Int64 = 60_000

    /// Shows how far the server is, until it is done, does not get on, or a signal asks this command
    /// to end. Returns what the server said at the end.
    private static func follow(
        _ control: ControlConnection, _ signals: SignalQueue, _ progress: Progress
    ) -> JSONNode? {
        var latest = (done: -1, total: 0, at: Boot.milliseconds)
        defer { progress.end() }
        // The new key is in use already, so a server that says nothing is no failure of the command.
        while let answer = try? control.send("GET", masterKeyPath),
            let state = try? JSONDocument(answer).root
        {
            guard state["sealing"]?.bool == true else {
                if latest.total > 0 {
                    progress.advance("sealing", to: latest.total, of: latest.total)
                }
                return state
            }
            let (done, total) = (state["done"]?.integer ?? 0, state["total"]?.integer ?? 0)
            if done != latest.done { latest = (Int(done), Int(total), Boot.milliseconds) }
            if total > 0 { progress.advance("sealing", to: Int(done), of: Int(total)) }
            // A node of a cluster may wait for others, and only the one that leads counts.
            let isStuck =
                state["shared"]?.bool != true && Boot.milliseconds - latest.at > followPatience
            guard !isStuck, signals.next(within: followInterval) != .end else {
                progress.end()
                StandardError.write("bellwire: the server goes on sealing by itself\n")
                return nil
            }
        }
        return nil
    }

    /// Reads a key file. Other commands use this, too.
    static func storedKey(at path: String) throws -> StoredKey {
        let json = try KeyFile.read(path)
        do throws(StoredKey.Failure) {
            return try StoredKey(json: json)
        } catch {
            switch error {
            case .fault(let fault): throw fault
            case .notAKey:
                throw CommandError(
                    message: "\(path) is not a Bellwire key file",
                    hint: "make one with: bellwire keys new KIND FILE")
            }
        }
    }

    private static func print(_ key: borrowing StoredKey, _ arguments: Arguments) throws -> ExitCode
    {
        let rows = [("kind", key.kind.rawValue)] + key.publicParts
        return try arguments.print(rows.map { "\($0.0): \($0.1)\n" }.joined()) { writer in
            for (name, value) in rows { writer.member(text: name, value) }
        }
    }
}
