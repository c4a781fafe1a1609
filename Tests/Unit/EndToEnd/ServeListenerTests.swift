import Foundation
import TestSupport
import Testing

@Suite("bellwire serve: where it listens, and signals")
struct ServeListenerTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    @Test("It serves without TLS on loopback and on a Unix socket")
    func plainAndUnix() throws {
        let path = fixture.home.file("face.sock")
        let server = try fixture.start([
            "--listen", "http://127.0.0.1:0", "--listen", "unix:\(path)",
        ])
        #expect(server.baseURL.hasPrefix("http://localhost:"))
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 200"))
        let answer = try ServeFixture.output(
            "/usr/bin/curl", ["-sS", "--unix-socket", path, "http://localhost/health"])
        #expect(answer.contains("\"OK\""))
        #expect(server.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("With the PROXY protocol a connection without its header is refused")
    func proxyProtocol() throws {
        let server = try fixture.start(["--listen", "127.0.0.1:0 proxy-protocol"])
        let with = try fixture.curl(["--haproxy-protocol", server.baseURL + "/health"])
        #expect(with.hasSuffix(" 200"))
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 000"))
    }

    @Test("Behind a proxy clients need a credential, and log and check say so")
    func behindProxy() throws {
        let listen = ["--listen", "http://127.0.0.1:0 trusted-proxies=127.0.0.1"]
        let server = try fixture.start(listen + ["--base-url", "https://push.example.org"])
        let who = "everybody who reaches the proxy in front of this server can connect, and"
        #expect(server.hasSaid("open-to=\"\(who)"))
        #expect(server.end() == 0)
        let open = listen + ["--registration", "open"]
        #expect(try fixture.run(["serve"] + open).errors.contains("lets everybody"))
        let twice = open + ["--registration-open-to-everyone", "yes"]
        let warned = try fixture.start(twice)
        #expect(warned.hasSaid("warning: event=listening"))
        #expect(warned.hasSaid("and EVERYBODY may subscribe without a credential\""))
        #expect(warned.end() == 0)
        #expect(try fixture.run(["check"] + listen).output.contains("/control.sock: root and"))
        let json = try ServeFixture.object(try fixture.run(["check", "--json"] + twice).output)
        let listeners = try #require(json["listeners"] as? [[String: Any]])
        #expect(listeners[0]["open_to_strangers"] as? Bool == true)
    }

    @Test("Each listener decides whether forwarded clients may subscribe")
    func forwarded() throws {
        let path = fixture.home.file("face.sock")
        let server = try fixture.start([
            "--listen", "http://127.0.0.1:0 trusted-proxies=127.0.0.1", "--listen", "unix:\(path)",
            "--registration", "open", "--registration-open-to-everyone", "yes",
        ])
        func upgrade(_ further: String...) throws -> String {
            try ServeFixture.output(
                "/usr/bin/curl",
                [
                    "-s", "-m", "1", "--http1.1", "-o", "/dev/null", "-w", "%{http_code}",
                    "-H", "Connection: Upgrade", "-H", "Upgrade: websocket",
                    "-H", "Sec-WebSocket-Version: 13",
                    "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", server.baseURL,
                ] + further)
        }
        let forwarded = "X-Forwarded-For: 192.0.2.7"
        #expect(try upgrade("--unix-socket", path, "-H", forwarded) == "403")
        #expect(try upgrade("--unix-socket", path) == "101")
        #expect(try upgrade("-H", forwarded) == "101")
        #expect(server.end() == 0)
    }

    @Test("Running out of file descriptors is logged, and service continues afterwards")
    func noDescriptors() throws {
        let server = try ServerProcess(
            [
                "-c", "ulimit -n 64; exec \"$0\" \"$@\"", Program.path, "serve", "--listen",
                "http://127.0.0.1:0",
            ], program: "/bin/sh", environment: fixture.environment)
        var sockets = (0..<80).map { _ in Self.connect(to: server.port) }
        #expect(server.hasSaid("error: event=cannot-accept address=127.0.0.1:"))
        for socket in sockets { close(socket) }
        sockets = []
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 200"))
        #expect(server.end() == 0)
    }

    static func connect(to port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Foundation.connect(
                    descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    @Test("Sockets that systemd opened are used")
    func systemdSockets() throws {
        let launcher = fixture.home.file("launch.py")
        try """
        import os, socket, sys
        face = socket.create_server(("127.0.0.1", 0))
        control = socket.socket(socket.AF_UNIX)
        control.bind(sys.argv[1]); control.listen()
        for place, s in ((3, face), (4, control)):
            os.dup2(s.fileno(), place + 10)
        for place in (3, 4):
            os.dup2(place + 10, place, inheritable=True)
        os.environ.update(
            LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="https:control")
        os.execv(sys.argv[2], sys.argv[2:])
        """.write(toFile: launcher, atomically: true, encoding: .utf8)
        let control = fixture.home.file("given.sock")
        let server = try ServerProcess(
            [launcher, control, Program.path, "serve"], program: "/usr/bin/python3",
            environment: fixture.environment)
        #expect(server.port != 8443)
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 200"))
        let devices = try ServeFixture.output(
            "/usr/bin/curl", ["-sS", "--unix-socket", control, "http://localhost/api/v1/devices"])
        #expect(devices == #"{"devices":[]}"#)
        #expect(server.end() == 0)
    }

    @Test("systemd is told when it is ready, what it does, and when it stops")
    func notify() throws {
        var fixture = fixture
        let listener = fixture.home.file("listen.py")
        let path = fixture.home.file("notify.sock")
        try """
        import socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(sys.argv[1]); s.settimeout(20)
        print("bellwire: ready x", flush=True)
        while True:
            text = s.recv(4096).decode()
            print(text, file=sys.stderr, flush=True)
            if text == "STOPPING=1": break
        """.write(toFile: listener, atomically: true, encoding: .utf8)
        let ear = try ServerProcess(
            [listener, path], program: "/usr/bin/python3", environment: fixture.environment)
        fixture.environment["NOTIFY_SOCKET"] = path
        fixture.environment["WATCHDOG_USEC"] = "150000"
        let server = try fixture.start()
        #expect(ear.hasSaid("READY=1") && ear.hasSaid("STATUS=serving \(server.baseURL)"))
        #expect(ear.hasSaid("WATCHDOG=1", times: 3))
        server.signal(SIGHUP)
        #expect(ear.hasSaid("RELOADING=1\nMONOTONIC_USEC=") && ear.hasSaid("READY=1", times: 2))
        #expect(server.end() == 0)
        #expect(ear.hasSaid("STOPPING=1"))
    }

    @Test("A new certificate is used for new connections; old ones continue")
    func newCertificate() throws {
        let (chain, key) = (fixture.home.file("chain.pem"), fixture.home.file("key.pem"))
        try makeCertificate("old.example", chain, key)
        let server = try fixture.start([
            "--listen", "127.0.0.1:0", "--tls-certificate", chain, "--tls-key", key,
        ])
        let old = try TLSClient(port: server.port)
        #expect(try old.ask("/health").contains("200 OK"))
        #expect(old.subject.contains("old.example"))
        try makeCertificate("new.example", chain, key)
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=certificates-read"))
        #expect(try TLSClient(port: server.port).subject.contains("new.example"))
        #expect(try old.ask("/health").contains("200 OK"))
        try "nothing".write(toFile: key, atomically: true, encoding: .utf8)
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=certificates-refused"))
        #expect(try TLSClient(port: server.port).subject.contains("new.example"))
        #expect(server.end() == 0)
    }

    @Test("Changed certificates are loaded without a signal")
    func changedFiles() throws {
        var fixture = fixture
        // It checks its certificates as often as systemd's watchdog wants a signal.
        fixture.environment["WATCHDOG_USEC"] = "150000"
        let (chain, key) = (fixture.home.file("chain.pem"), fixture.home.file("key.pem"))
        try makeCertificate("old.example", chain, key)
        let server = try fixture.start([
            "--listen", "127.0.0.1:0", "--tls-certificate", chain, "--tls-key", key,
        ])
        try makeCertificate("new.example", chain, key)
        #expect(server.hasSaid("event=certificates-read"))
        #expect(try TLSClient(port: server.port).subject.contains("new.example"))
        #expect(server.end() == 0)
    }

    @Test("A reload logs the keys that wait for the next start")
    func reload() throws {
        let file = fixture.home.file("bellwire.conf")
        try "listen = 127.0.0.1:0".write(toFile: file, atomically: true, encoding: .utf8)
        let server = try fixture.start(["--config", file])
        try "listen = 127.0.0.1:1".write(toFile: file, atomically: true, encoding: .utf8)
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=restart-needed keys=listen"))
        try "listne = 127.0.0.1:1".write(toFile: file, atomically: true, encoding: .utf8)
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=configuration-refused"))
        #expect(server.hasSaid("\(file):1: unknown key listne"))
        #expect(try fixture.curl([server.baseURL + "/health"]).hasSuffix(" 200"))
        #expect(server.end() == 0)
    }

    private func makeCertificate(_ name: String, _ chain: String, _ key: String) throws {
        _ = try ServeFixture.output(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=\(name)", "-days", "2", "-out", chain, "-keyout", key,
            ])
    }
}
