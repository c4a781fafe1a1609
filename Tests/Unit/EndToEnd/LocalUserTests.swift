import Foundation
import TestSupport
import Testing

@Suite("Users of the machine at the control socket")
struct LocalUserTests {
    private var fixture: ServeFixture
    private let folder: String
    private let file: String

    init() throws {
        fixture = try ServeFixture()
        folder = fixture.home.file("state")
        file = fixture.home.file("bellwire.conf")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: fixture.home.path)
    }

    private func configure(localUsers: String) throws {
        try "listen = http://127.0.0.1:0\nlocal-users = \(localUsers)"
            .write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// Clients of a user's engine, one of each kind, and one that sent almost nothing.
    private func clients() throws -> [RunningProcess] {
        let made = try fixture.runAsUser(
            ["register", "--app", "telegram", "--account", "me"], folder)
        #expect(made.contains("endpoint"), "\(made)")
        let clients = try ["lines", "half", "socket"].map { kind in
            try RunningProcess(
                "/usr/bin/setpriv",
                [
                    "--reuid=23456", "--regid=0", "--clear-groups", "/usr/bin/python3", "-c",
                    Self.client, folder + "/control.sock", kind,
                ])
        }
        for client in clients {
            #expect(String(decoding: client.output.availableData, as: UTF8.self) == "here\n")
        }
        return clients
    }

    /// Prints `here` when it is connected, and the last message when the connection ends.
    private static let client = """
        import socket, sys, time
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(20)
        if sys.argv[2] == "socket":
            s.sendall(b"GET /api/v1/engine?account=me HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: "
                b"Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n")
        else:
            line = b'{"@type":"bellwire.open","account":"me"}\\n'
            s.sendall(line if sys.argv[2] == "lines" else line[:9])
        # The server answers half a line with nothing, so this is time for it to read that.
        data = time.sleep(1) or b"" if sys.argv[2] == "half" else s.recv(65536)
        sys.stdout.write("here\\n"); sys.stdout.flush()
        while more := s.recv(65536):
            data += more
        print("401" if b'"code":401' in data else "404" if b'"code":404' in data else "cut", flush=True)
        """

    @Test(
        "Who may not use the socket is told so, and not that there is no server",
        .enabled(if: geteuid() == 0))
    func notAllowed() throws {
        let (server, folder) = try fixture.startForUsers()
        let said = try fixture.runAsUser(["registration", "list"], folder, group: 23456)
        #expect(said.contains("error: you may not use \(folder)/control.sock"), "\(said)")
        #expect(server.end() == 0)
        #expect(
            try fixture.run(["registration", "list", "--state", folder]).errors.contains(
                "no server answers"))
    }

    @Test(
        "A client shut out by a reload is disconnected at once",
        .enabled(if: geteuid() == 0))
    func reload() throws {
        try configure(localUsers: "yes")
        let server = try fixture.start(["--config", file, "--state", folder])
        let clients = try clients()
        try configure(localUsers: "no")
        let start = ContinuousClock.now
        server.signal(SIGHUP)
        for client in clients { #expect(try client.text() == "401\n") }
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(server.hasSaid("event=configuration-read"))
        #expect(
            try fixture.runAsUser(["registration", "list"], folder).contains(
                "this user has no rights here"))
        #expect(server.end() == 0)
    }

    @Test(
        "A user's control socket registrations end with the user within a second",
        .enabled(if: geteuid() == 0))
    func owner() throws {
        try configure(localUsers: "yes")
        let server = try fixture.start(["--config", file, "--state", folder])
        let clients = try clients()
        let start = ContinuousClock.now
        let removed = try fixture.run(["owner", "remove", "uid:23456", "--state", folder])
        #expect(removed.exitCode == 0, "\(removed.errors)")
        #expect(try clients[0].text() == "404\n")
        #expect(try clients[2].text() == "404\n")
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(
            try fixture.run(["registration", "list", "--state", folder]).output.hasPrefix(
                "no registrations"))
        #expect(server.end() == 0)
    }
}
