import Foundation
import TestSupport
import Testing

/// A home folder for a server, and requests with curl.
struct ServeFixture {
    let home: TemporaryFolder
    var environment: [String: String]

    init() throws {
        home = try TemporaryFolder()
        environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"]
    }

    var state: String { home.path + "/.local/state/bellwire" }
    var authority: String { state + "/keys/development-ca.pem" }

    func start(
        _ arguments: [String] = ["--listen", "127.0.0.1:0"], program: String = Program.path
    ) throws -> ServerProcess {
        try ServerProcess(["serve"] + arguments, program: program, environment: environment)
    }

    func run(_ arguments: [String]) throws -> Program.Outcome {
        try Program.run(arguments, environment: environment.merging(["XDG_STATE_HOME": ""]) { $1 })
    }

    /// Listens without TLS, so that `bellwire send` needs no certificate.
    func startInClear() throws -> ServerProcess {
        try start(["--listen", "http://127.0.0.1:0"])
    }

    /// A server that other users of this machine can reach, and its state folder. Only root can ask
    /// as another user.
    func startForUsers(
        _ listen: String = "127.0.0.1:0", areAllowed: Bool = true
    ) throws -> (server: ServerProcess, folder: String) {
        let folder = home.file("state")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: home.path)
        let server = try start([
            "--listen", listen, "--state", folder, "--local-users", areAllowed ? "yes" : "no",
        ])
        return (server, folder)
    }

    /// The program's output for another user, whom an administrator added to the group of the state
    /// folder, or to no group.
    func runAsUser(
        _ arguments: [String], _ folder: String, group: Int = 0
    ) throws -> String {
        let copy = home.file("bellwire")
        if !FileManager.default.fileExists(atPath: copy) {
            try FileManager.default.copyItem(atPath: Program.path, toPath: copy)
        }
        return try Self.output(
            "/usr/bin/setpriv",
            ["--reuid=23456", "--regid=\(group)", "--clear-groups", copy] + arguments
                + ["--state", folder])
    }

    /// The file for `send --to`, from a registration as the program printed it.
    func subscription(_ registration: [String: Any]) throws -> String {
        let members = ["endpoint": registration["endpoint"], "keys": registration["keys"]]
        let path = home.file("subscription")
        try JSONSerialization.data(withJSONObject: members.compactMapValues(\.self))
            .write(to: URL(filePath: path))
        chmod(path, 0o600)
        return path
    }

    static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    /// The body and the status of an answer, `000` for none.
    func curl(_ arguments: [String]) throws -> String {
        try Self.output(
            "/usr/bin/curl",
            ["-sS", "-m", "10", "--cacert", authority, "-w", " %{http_code}"]
                + arguments)
    }

    static func output(_ program: String, _ arguments: [String]) throws -> String {
        try RunningProcess(program, arguments, errors: .withOutput).text()
    }
}
