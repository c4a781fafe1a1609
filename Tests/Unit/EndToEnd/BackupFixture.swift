import Foundation
import TestSupport
import Testing

/// A server that is backed up, and the folder in which it is restored.
struct BackupFixture {
    let fixture: ServeFixture
    let file: String
    let restored: String
    let passphrase: String

    init() throws {
        fixture = try ServeFixture()
        file = fixture.home.file("backup")
        restored = fixture.home.file("restored")
        passphrase = fixture.home.file("passphrase")
        try Data("correct horse battery\n".utf8).write(to: URL(filePath: passphrase))
        chmod(passphrase, 0o600)
    }

    /// Runs a command that has to succeed.
    @discardableResult
    func run(_ arguments: String...) throws -> String {
        let outcome = try fixture.run(arguments)
        #expect(outcome.exitCode == 0, "\(arguments): \(outcome.output)\(outcome.errors)")
        return outcome.output
    }

    /// The errors of a command that has to fail with this code.
    func failure(_ code: Int32, _ arguments: String...) throws -> String {
        let outcome = try fixture.run(arguments)
        #expect(outcome.exitCode == code, "\(arguments): \(outcome.output)\(outcome.errors)")
        return outcome.errors
    }

    /// A registration for pushes that need no encryption.
    func register(_ account: String, _ state: String? = nil) throws -> [String: Any] {
        try ServeFixture.object(
            try run(
                "register", "--app", "test", "--account", account, "--dialect", "plain",
                "--clear", "yes", "--json", "--state", state ?? fixture.state))
    }

    func startRestored() throws -> ServerProcess {
        try fixture.start(["--listen", "http://127.0.0.1:0", "--state", restored])
    }

    /// The ids and texts of the messages that wait for a registration, in order.
    func pending(_ id: String, _ state: String) throws -> [String] {
        let answer = try ServeFixture.object(
            try ServeFixture.output(
                "/usr/bin/curl",
                [
                    "-sS", "-m", "10", "--unix-socket", state + "/control.sock",
                    "http://localhost/api/v1/pending?registration=" + id,
                ]))
        let messages = try #require(answer["messages"] as? [[String: Any]])
        return messages.map { "\($0["id"] ?? "") \($0["payload"] ?? "")" }
    }

    /// The status of a push to an endpoint, whose path is the same at every server.
    func push(_ endpoint: String, _ body: String, to server: ServerProcess) throws -> String {
        let path = URL(string: endpoint)?.path ?? ""
        return try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-m", "10", "-o", "/dev/null", "-w", "%{http_code}", "-H", "TTL: 86400",
                "-d", body, server.baseURL + path,
            ])
    }

    /// The status of a WebSocket of this device.
    func upgrade(_ bearer: String, _ server: ServerProcess) throws -> String {
        try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-s", "-m", "1", "--http1.1", "-o", "/dev/null", "-w", "%{http_code}",
                "-H", "Connection: Upgrade", "-H", "Upgrade: websocket",
                "-H", "Sec-WebSocket-Version: 13",
                "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "\(server.baseURL)/u/\(bearer)",
            ])
    }

    /// Names of files next to the backup that begin like it.
    var leftOvers: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: fixture.home.path)
                .filter { $0.hasPrefix("backup") }.sorted()
        }
    }
}
