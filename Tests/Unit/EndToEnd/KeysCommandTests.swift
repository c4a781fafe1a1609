import Foundation
import TestSupport
import Testing

@Suite("bellwire keys and version")
struct KeysCommandTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    @Test(
        "A new key shows its public part, now and later",
        arguments: ["receiver", "vapid", "master"])
    func newKey(kind: String) throws {
        let path = folder + "/" + kind
        let made = try Program.run(["keys", "new", kind, path, "--json"])
        let shown = try Program.run(["keys", "show", "--json", path])
        #expect(made.exitCode == 0 && made.output == shown.output)
        let parts = try JSONDecoder().decode([String: String].self, from: Data(made.output.utf8))
        #expect(parts["kind"] == kind && parts.count == 2)

        let secrets = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: URL(filePath: path)))
        for name in ["priv", "auth", "key"] {
            guard let secret = secrets[name] else { continue }
            #expect(!made.output.contains(secret))
        }
        let again = try Program.run(["keys", "new", kind, path])
        #expect(again.exitCode == 1 && again.errors.contains("error: \(path) exists"))
    }

    @Test("A key file that others can read is refused with a hint")
    func readable() throws {
        let path = folder + "/vapid"
        _ = try Program.run(["keys", "new", "vapid", path])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let outcome = try Program.run(["keys", "show", path])
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.contains("bellwire: hint: run chmod 600 \(path)"))
    }

    @Test("A systemd credential may be readable by the group, but by nobody else")
    func credential() throws {
        let path = folder + "/vapid"
        _ = try Program.run(["keys", "new", "vapid", path])
        func show(mode: Int) throws -> Int32 {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return try Program.run(
                ["keys", "show", path], environment: ["CREDENTIALS_DIRECTORY": folder]
            ).exitCode
        }
        #expect(try show(mode: 0o440) == 0)
        #expect(try show(mode: 0o444) == 1)
        #expect(try show(mode: 0o460) == 1)
    }

    @Test(
        "Wrong usage says what is right",
        arguments: [
            ["keys"], ["keys", "new"], ["keys", "new", "rsa", "x"], ["keys", "show"], ["nonsense"],
            ["send"], ["send", "--nonsense"], ["send", "--to"], ["version", "--json=1"],
            ["decrypt", "x"], ["serve", "x"], ["check", "x"], ["device"], ["device", "add"],
            ["device", "list", "x"], ["device", "confirm"], ["device", "confirm", "a", "--all"],
            ["serve", "--listn", "x"], ["register"], ["registration"], ["registration", "show"],
            ["registration", "list", "x"], ["registration", "rotate", "a", "b"],
            ["registration", "revoke"], ["topic"], ["account"], ["keys", "rotate-master", "x"],
        ])
    func usage(arguments: [String]) throws {
        let outcome = try Program.run(arguments)
        #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("bellwire: error: "))
    }

    @Test(
        "Every command has a help text",
        arguments: [
            "account", "check", "decrypt", "device", "keys", "register", "registration", "send",
            "serve", "topic", "version",
        ])
    func help(command: String) throws {
        let outcome = try Program.run([command, "--help"])
        #expect(outcome.exitCode == 0 && outcome.output.hasPrefix("usage: bellwire \(command)"))
        #expect(try Program.run(["help", command]).output == outcome.output)
        #expect(try Program.run(["--help"]).output.contains("  \(command) "))
    }

    @Test("The version is one line for the program and one for each library")
    func version() throws {
        let outcome = try Program.run(["version"])
        #expect(outcome.output.split(separator: "\n").count == 3)
        #expect(outcome.output.hasPrefix("bellwire "))
    }
}
