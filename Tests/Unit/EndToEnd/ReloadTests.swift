import Foundation
import TestSupport
import Testing

@Suite("bellwire serve: settings that change at SIGHUP")
struct ReloadTests {
    private let fixture: ServeFixture
    private let file: String

    init() throws {
        fixture = try ServeFixture()
        file = fixture.home.file("bellwire.conf")
    }

    private static let listen = "listen = http://127.0.0.1:0"

    private func configure(_ lines: String...) throws {
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func start(_ lines: String...) throws -> ServerProcess {
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return try fixture.start(["--config", file])
    }

    /// Waits until the server has read the file again.
    private func reload(_ server: ServerProcess, _ lines: String..., time: Int = 1) throws {
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=configuration-read", times: time))
    }

    private func status(_ arguments: String...) throws -> String {
        String(try fixture.curl(arguments).suffix(3))
    }

    private func upgrade(_ url: String) throws -> String {
        try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-s", "-m", "1", "--http1.1", "-o", "/dev/null", "-w", "%{http_code}",
                "-H", "Connection: Upgrade", "-H", "Upgrade: websocket",
                "-H", "Sec-WebSocket-Version: 13",
                "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", url,
            ])
    }

    /// A port that nobody listens on.
    private func freePort() throws -> UInt16 { try OneRequestServer().port }

    @Test("alias: a new name is accepted, a former one is refused")
    func alias() throws {
        let server = try start(Self.listen, "registration = token")
        let named = ["-H", "Host: push.other.example", server.baseURL + "/api/v1/registrations"]
        #expect(try fixture.curl(named).hasSuffix(" 421"))
        try reload(
            server, Self.listen, "registration = token", "alias = https://push.other.example")
        #expect(try fixture.curl(named).hasSuffix(" 401"))
        try reload(server, Self.listen, "registration = token", time: 2)
        #expect(try fixture.curl(named).hasSuffix(" 421"))
        #expect(server.end() == 0)
        #expect(!server.errors.contains("restart-needed"))
    }

    @Test("registration, registration-open-to-everyone: it closes and opens")
    func registration() throws {
        let server = try start(Self.listen)
        #expect(try upgrade(server.baseURL) == "101")
        try reload(server, Self.listen, "alias = https://push.example")
        #expect(server.hasSaid("event=registration mode=token"))
        #expect(try upgrade(server.baseURL) == "401")
        try reload(
            server, Self.listen, "alias = https://push.example", "registration = open",
            "registration-open-to-everyone = yes", time: 2)
        #expect(server.hasSaid("event=registration mode=open"))
        #expect(try upgrade(server.baseURL) == "101")
        #expect(server.end() == 0)
    }

    @Test("access-log: it begins and ends")
    func accessLog() throws {
        let server = try start(Self.listen)
        #expect(try status(server.baseURL + "/status") == "200")
        try reload(server, Self.listen, "access-log = yes")
        #expect(try status(server.baseURL + "/health") == "200")
        #expect(server.hasSaid("event=request method=GET what=health status=200"))
        try reload(server, Self.listen, time: 2)
        #expect(try status(server.baseURL + "/__version__") == "200")
        #expect(server.end() == 0)
        #expect(server.errors.components(separatedBy: "event=request").count == 2)
    }

    @Test("metrics-listen, metrics-token-file: a listener comes, asks for a token, and goes")
    func metrics() throws {
        let server = try start(Self.listen)
        let socket = fixture.home.file("metrics.sock")
        let token = fixture.home.file("token")
        try "a-long-word\n".write(toFile: token, atomically: true, encoding: .utf8)
        let metrics = "metrics-listen = unix:\(socket)"
        let url = ["--unix-socket", socket, "http://localhost/metrics"]
        try reload(server, Self.listen, metrics)
        #expect(try fixture.curl(url).hasSuffix(" 200"))
        try reload(server, Self.listen, metrics, "metrics-token-file = \(token)", time: 2)
        #expect(try fixture.curl(url) == " 401")
        let known = ["-H", "Authorization: Bearer a-long-word"]
        #expect(try fixture.curl(known + url).hasSuffix(" 200"))
        try reload(server, Self.listen, time: 3)
        #expect(server.hasSaid("event=listening-ended address=unix:\(socket)"))
        #expect(try fixture.curl(url).hasSuffix(" 000"))
        #expect(!FileManager.default.fileExists(atPath: socket))
        #expect(server.end() == 0)
    }

    @Test("callback-allow: registrations from the network may name the address, then no more")
    func callbackAllow() throws {
        let server = try start(Self.listen, "registration = token")
        let device = try ServeFixture.object(
            try fixture.run(["device", "add", "phone", "--json"]).output)
        let bearer = try #require(device["bearer"] as? String)
        func register(_ account: String) throws -> String {
            try status(
                "-H", "Authorization: Bearer \(bearer)", "-H", "Content-Type: application/json",
                "-d",
                """
                {"token_type":10,"app":"plain","account":"\(account)",\
                "callback":"http://127.0.0.1:9999/hook"}
                """, server.baseURL + "/api/v1/registrations")
        }
        #expect(try register("a") == "400")
        try reload(server, Self.listen, "registration = token", "callback-allow = 127.0.0.0/8")
        #expect(try register("a") == "201")
        try reload(server, Self.listen, "registration = token", time: 2)
        #expect(try register("b") == "400")
        #expect(server.end() == 0)
    }

    @Test("callback-proxy: callbacks to the internet go there at once")
    func callbackProxy() throws {
        let server = try start(Self.listen, "registration = token")
        let device = try ServeFixture.object(
            try fixture.run(["device", "add", "phone", "--json"]).output)
        let bearer = try #require(device["bearer"] as? String)
        let proxy = try OneRequestServer()
        try reload(
            server, Self.listen, "registration = token",
            "callback-proxy = http://127.0.0.1:\(proxy.port)")
        let answer = try status(
            "-H", "Authorization: Bearer \(bearer)", "-H", "Content-Type: application/json", "-d",
            """
            {"token_type":10,"app":"plain","account":"me","callback":"https://hook.invalid/"}
            """, server.baseURL + "/api/v1/registrations")
        #expect(answer == "201")
        let asked = proxy.serve("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").head
        #expect(asked.hasPrefix("CONNECT hook.invalid:443 "))
        #expect(server.end() == 0)
    }

    @Test("callback-authorities: a file that cannot be read is refused, and nothing changes")
    func callbackAuthorities() throws {
        let server = try start(Self.listen)
        try configure(Self.listen, "callback-authorities = /nowhere.pem", "registration = token")
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=configuration-refused reason=\"/nowhere.pem"))
        #expect(try upgrade(server.baseURL) == "101")
        #expect(server.end() == 0)
    }

    @Test("listen: trusted-proxies of a listener count for open connections, too")
    func trustedProxies() throws {
        let name = "base-url = http://localhost:1"
        let server = try start(Self.listen, name, "access-log = yes", "registration = token")
        let port = try #require(server.boundPort)
        let connection = try KeptConnection(port: port)
        let forwarded = "X-Forwarded-For: 192.0.2.7\r\n"
        #expect(try connection.ask("/health", forwarded).contains("200 OK"))
        #expect(server.hasSaid("client=127.0.0.1"))
        try reload(
            server, Self.listen + " trusted-proxies=127.0.0.1", name, "access-log = yes",
            "registration = token")
        #expect(try connection.ask("/health", forwarded).contains("200 OK"))
        #expect(server.hasSaid("client=192.0.2.7"))
        #expect(server.hasSaid("everybody who reaches the proxy in front of this server"))
        #expect(server.end() == 0)
    }

    @Test("listen: addresses are added and removed, and open connections go on")
    func listeners() throws {
        let name = "base-url = http://localhost:1"
        let (first, second) = (try freePort(), try freePort())
        let server = try start("listen = http://127.0.0.1:\(first)", name)
        let kept = try KeptConnection(port: first)
        #expect(try kept.ask("/health").contains("200 OK"))
        try reload(
            server, "listen = http://127.0.0.1:\(first)", "listen = http://127.0.0.1:\(second)",
            name)
        #expect(try status("http://127.0.0.1:\(second)/health") == "200")
        try reload(server, "listen = http://127.0.0.1:\(second)", name, time: 2)
        #expect(server.hasSaid("event=listening-ended address=127.0.0.1:\(first)"))
        #expect(try status("http://127.0.0.1:\(first)/health") == "000")
        #expect(try kept.ask("/health").contains("200 OK"))
        #expect(try status("http://127.0.0.1:\(second)/health") == "200")
        #expect(server.end() == 0)
        #expect(!server.errors.contains("restart-needed"))
    }

    @Test("listen: the first listener with TLS gets a certificate, and an open one may get TLS")
    func encrypted() throws {
        let name = "base-url = http://localhost:1"
        let (first, second) = (try freePort(), try freePort())
        let server = try start("listen = http://127.0.0.1:\(first)", name)
        let encrypted = "listen = 127.0.0.1:\(second)"
        try reload(server, "listen = http://127.0.0.1:\(first)", encrypted, name)
        #expect(try status("https://localhost:\(second)/health") == "200")
        #expect(try status("http://127.0.0.1:\(first)/health") == "200")
        try reload(server, "listen = 127.0.0.1:\(first)", encrypted, name, time: 2)
        #expect(try status("https://localhost:\(first)/health") == "200")
        #expect(server.end() == 0)
        #expect(!server.errors.contains("restart-needed"))
    }

    @Test("listen: on a closed listener nobody new may subscribe without a credential")
    func closedListener() throws {
        let name = "base-url = http://localhost:1"
        let (first, second) = (try freePort(), try freePort())
        let server = try start(
            "listen = http://127.0.0.1:\(first) trusted-proxies=127.0.0.1",
            "listen = http://127.0.0.1:\(second)", name)
        let kept = try KeptConnection(port: first)
        #expect(try kept.ask("/health").contains("200 OK"))
        try reload(server, "listen = http://127.0.0.1:\(second)", name)
        #expect(server.hasSaid("event=registration mode=open"))
        #expect(try upgrade("http://127.0.0.1:\(second)/") == "101")
        let upgrade = """
            Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
            """
        #expect(try kept.ask("/", upgrade).contains("401 Unauthorized"))
        #expect(server.end() == 0)
    }

    @Test("listen: a port that is in use leaves all listeners as they are, and waits")
    func portInUse() throws {
        let name = "base-url = http://localhost:1"
        let first = try freePort()
        let other = try OneRequestServer()
        let server = try start("listen = http://127.0.0.1:\(first)", name)
        try reload(
            server, "listen = http://127.0.0.1:\(other.port)", name, "registration = token")
        #expect(server.hasSaid("event=cannot-listen reason=\"port \(other.port) is in use"))
        #expect(server.hasSaid("event=restart-needed keys=listen"))
        #expect(try upgrade("http://127.0.0.1:\(first)/") == "401")
        #expect(server.end() == 0)
    }

    @Test("base-url, state, keys and store wait for the next start")
    func restart() throws {
        let server = try start(Self.listen)
        try reload(
            server, Self.listen, "base-url = http://localhost:2", "state = /a", "keys = /b",
            "store = nats://localhost", "node = a")
        #expect(server.hasSaid("event=restart-needed keys=base-url,state,keys,store,node"))
        #expect(try status(server.baseURL + "/health") == "200")
        #expect(server.end() == 0)
    }

    @Test("check and the manual name the keys that need a restart")
    func named() throws {
        let keys = [
            "base-url", "tls-records", "state", "keys", "store", "store-authorities",
            "store-credentials", "store-replicas", "store-unsynced", "nats-unsafe-servers", "node",
            "receiver-authorities",
        ]
        let text =
            keys.dropLast().joined(separator: ", ") + " or receiver-authorities needs a restart"
        #expect(try fixture.run(["check"]).output.contains("A change of \(text)"))
        let json = try ServeFixture.object(try fixture.run(["check", "--json"]).output)
        let settings = try #require(json["settings"] as? [[String: Any]])
        let waiting = settings.filter { $0["takes_effect"] as? String == "start" }
        #expect(waiting.compactMap { $0["key"] as? String } == keys)
        #expect(settings.filter { $0["takes_effect"] as? String == "reload" }.count > 10)
        let page = try fixture.run(["manual", "bellwire.conf.5"]).output
        let marks = page.components(separatedBy: "; a change needs a restart (").count - 1
        #expect(marks == keys.count)
        #expect(page.replacing("\\-", with: "-").contains(text))
    }
}

/// One connection for several requests.
private final class KeptConnection {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = ServeListenerTests.connect(to: Int(port))
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The head of the answer, and what came with it.
    func ask(_ path: String, _ fields: String = "") throws -> String {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8)
        let sent = request.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.count else { throw POSIXError(.ECONNRESET) }
        var answer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &answer, answer.count, 0)
        guard count > 0 else { throw POSIXError(.ECONNRESET) }
        return String(decoding: answer[..<count], as: UTF8.self)
    }
}

extension ServerProcess {
    /// The port that its log names, where base-url does not.
    fileprivate var boundPort: UInt16? {
        guard hasSaid("event=listening address=127.0.0.1:") else { return nil }
        let rest = errors.components(separatedBy: "event=listening address=127.0.0.1:")[1]
        return UInt16(rest.prefix { $0.isNumber })
    }
}
