import Base
import Crypto
import System

extension Command {
    static let keys = Command(
        name: "keys",
        summary: "make key files and show their public parts",
        forms: ["new KIND FILE", "show FILE", "rotate-master"],
        details: """
            Kinds of keys:
              receiver  a P-256 pair and an auth secret: what a push is encrypted to
              vapid     a P-256 pair with which an application server signs its pushes
              master    the key under which the database seals its secrets

            A file is made for its owner alone and never overwritten; one that others can read is
            refused. What is printed is public.

            rotate-master asks the running server to make another master key and to seal everything
            anew while it serves. Backups made before need the former key: keep a copy of it with
            them.
            """,
        options: serverOptions
    ) { arguments in
        switch arguments.positional.first {
        case "new": return try newKey(arguments)
        case "show": return try showKey(arguments)
        case "rotate-master": return try rotateMaster(arguments)
        default:
            throw CommandError.usage(
                "say keys new, keys show or keys rotate-master", hint: "bellwire keys --help")
        }
    }

    private static func newKey(_ arguments: Arguments) throws -> ExitCode {
        let kinds = StoredKey.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard arguments.positional.count == 3 else {
            throw CommandError.usage(
                "keys new takes a kind and a file", hint: "bellwire keys new vapid Keys/vapid.json")
        }
        guard let kind = StoredKey.Kind(rawValue: arguments.positional[1]) else {
            throw CommandError.usage("unknown kind of key", hint: "one of \(kinds)")
        }
        let key = try StoredKey.generate(kind)
        let json = try key.json()
        try KeyFile.create(arguments.positional[2], json.span)
        return try print(key, arguments)
    }

    private static func showKey(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.positional.count == 2 else {
            throw CommandError.usage("keys show takes one file")
        }
        return try print(try storedKey(at: arguments.positional[1]), arguments)
    }

    private static func rotateMaster(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.positional.count == 1 else {
            throw CommandError.usage("keys rotate-master takes options only")
        }
        let answer = try ControlConnection(arguments).send("POST", "/api/v1/master-key")
        return try RegistrationText.print(answer, arguments) { root in
            let id = Printable.text(root["id"]?.text ?? "")
            return "master key \(id) is in use; what the former one sealed is being sealed anew\n"
        }
    }

    /// Also for other commands that are given a key file.
    static func storedKey(at path: String) throws -> StoredKey {
        let json = try KeyFile.read(path)
        do throws(StoredKey.Failure) {
            return try StoredKey(json: json)
        } catch {
            switch error {
            case .fault(let fault): throw fault
            case .notAKey:
                throw CommandError(
                    message: "\(path) holds no key of ours",
                    hint: "make one with: bellwire keys new KIND FILE")
            }
        }
    }

    private static func print(_ key: borrowing StoredKey, _ arguments: Arguments) throws -> ExitCode
    {
        let rows = [("kind", key.kind.rawValue)] + key.publicParts
        guard arguments.has("json") else {
            try StandardOutput.write(rows.map { "\($0.0): \($0.1)\n" }.joined())
            return .success
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (name, value) in rows { writer.member(text: name, value) }
        }
        try StandardOutput.write(writer.text + "\n")
        return .success
    }
}
