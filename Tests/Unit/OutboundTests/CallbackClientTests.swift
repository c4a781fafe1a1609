import Base
import Foundation
import HTTP
import HookSupport
import Reactor
import System
import TLS
import TestSupport
import Testing

@testable import Outbound

/// A client on a loop of its own, with one call for a request and its answer.
final class ClientFixture: Sendable {
    let group: LoopGroup
    let client: CallbackClient

    init(_ change: (inout CallbackSettings) -> Void = { _ in }) throws {
        var settings = CallbackSettings(userAgent: "bellwire/test")
        change(&settings)
        group = try LoopGroup(count: 1)
        client = try CallbackClient(on: group.loops[0], settings)
        try group.start(name: "client")
    }

    deinit {
        group.stop()
        _ = group.join()
        client.close()
    }

    typealias Outcome = Result<HTTPResponse, CallbackFailure>

    func send(
        _ url: String, _ rights: CallbackRights = .localUser(getuid()), body: String = "{}"
    ) async throws -> Outcome {
        let request = CallbackRequest(
            target: try CallbackTarget(url), rights: rights,
            fields: [("content-type", "application/json")], body: Array(body.utf8))
        return await withCheckedContinuation { continuation in
            group.loops[0].post { [client] in
                client.send(request) { continuation.resume(returning: $0) }
            }
        }
    }

    /// The status, or why there is none.
    func outcome(
        _ url: String, _ rights: CallbackRights = .localUser(getuid()), body: String = "{}"
    ) async throws -> String {
        switch try await send(url, rights, body: body) {
        case .success(let response): "\(response.status)"
        case .failure(let failure): failure.description
        }
    }
}

@Suite("Requests that others ask for")
struct CallbackClientTests {
    @Test("A request comes with its fields and its body, and its answer goes back")
    func request() async throws {
        let hook = try HookServer { _ in HookAnswer(202, [("webhook-challenge", "x")]) }
        let client = try ClientFixture()
        let result = try await client.send("http://127.0.0.1:\(hook.port)/hook", body: "[1]")
        let response = try result.get()
        #expect(response.status == 202)
        #expect(response.field("webhook-challenge") == "x")
        let seen = try #require(hook.requests.first)
        #expect(seen.path == "/hook")
        #expect(seen.text == "[1]")
        #expect(seen.fields["content-type"] == "application/json")
        #expect(seen.fields["user-agent"] == "bellwire/test")
    }

    @Test("Whoever came over the network reaches nothing of this machine, by no name")
    func loopback() async throws {
        let hook = try HookServer()
        let client = try ClientFixture { $0.fixedNames = ["inside.example:\(hook.port):127.0.0.1"] }
        for host in ["localhost", "127.0.0.1", "2130706433", "0x7f.0.0.1", "inside.example"] {
            let url = "https://\(host):\(hook.port)/"
            #expect(
                try await client.outcome(url, .anyone) == DialRefusal.notInternet.rawValue,
                "\(host)")
        }
        #expect(hook.requests.isEmpty)
    }

    @Test("A name that leads elsewhere from one moment to the next is judged each time")
    func rebinding() async throws {
        let hook = try HookServer()
        let allowed = try #require(AddressBlock("127.0.0.1"))
        for (address, isReached) in [("127.0.0.1", true), ("127.0.0.2", false)] {
            let client = try ClientFixture {
                $0.dialGuard.allowed = [allowed]
                $0.fixedNames = ["name.example:\(hook.port):\(address)"]
            }
            let outcome = try await client.outcome("http://name.example:\(hook.port)/", .anyone)
            #expect(outcome == (isReached ? "200" : DialRefusal.notInternet.rawValue))
        }
        #expect(hook.requests.count == 1)
    }

    @Test("Of several addresses of a name, the one that is not allowed is not dialled")
    func severalAddresses() async throws {
        let hook = try HookServer(at: SocketAddress("0.0.0.0:0"))
        let allowed = try #require(AddressBlock("127.0.0.9"))
        let client = try ClientFixture {
            $0.dialGuard.allowed = [allowed]
            $0.fixedNames = [
                "name.example:\(hook.port):127.0.0.1,[::ffff:127.0.0.9],10.0.0.1,127.0.0.9"
            ]
        }
        #expect(try await client.outcome("http://name.example:\(hook.port)/", .anyone) == "200")
        #expect(hook.requests.count == 1)
    }

    @Test(
        "A name with addresses of both versions is called where it answers",
        arguments: ["127.0.0.1:0", "[::]:0"])
    func bothVersions(listener: String) async throws {
        let hook = try HookServer(at: SocketAddress(listener))
        let client = try ClientFixture {
            $0.fixedNames = ["name.example:\(hook.port):[::1],127.0.0.1,127.0.0.2"]
        }
        for _ in 0..<20 {
            #expect(try await client.outcome("http://name.example:\(hook.port)/") == "200")
        }
        #expect(hook.requests.count == 20)
    }

    @Test("Some addresses of a name are refused while another version of it connects")
    func refusedBesides() async throws {
        let hook = try HookServer(at: SocketAddress("[::]:0"))
        let allowed = try ["::1", "127.0.0.9"].map { try #require(AddressBlock($0)) }
        let client = try ClientFixture {
            $0.dialGuard.allowed = allowed
            $0.fixedNames = ["name.example:\(hook.port):127.0.0.1,[::1],10.0.0.1,127.0.0.9"]
        }
        for _ in 0..<20 {
            #expect(
                try await client.outcome("http://name.example:\(hook.port)/", .anyone) == "200")
        }
    }

    @Test("A wrapped address is not dialled, not even for a local user")
    func mapped() async throws {
        let hook = try HookServer()
        let client = try ClientFixture {
            $0.fixedNames = ["name.example:\(hook.port):[::ffff:127.0.0.1]"]
        }
        let url = "http://name.example:\(hook.port)/"
        #expect(try await client.outcome(url) == DialRefusal.wrapped.rawValue)
        #expect(hook.requests.isEmpty)
    }

    @Test("A redirect is an answer like any other, wherever it leads")
    func redirect() async throws {
        let inner = try HookServer()
        let url = "http://127.0.0.1:\(inner.port)/inside"
        let outer = try HookServer { _ in HookAnswer(307, [("location", url)]) }
        let client = try ClientFixture()
        #expect(try await client.outcome("http://127.0.0.1:\(outer.port)/") == "307")
        #expect(inner.requests.isEmpty)
    }

    @Test("The service's own listeners are not called, by none of this machine's addresses")
    func ourselves() async throws {
        let hook = try HookServer(at: SocketAddress("0.0.0.0:0"))
        let any = try #require(IPAddress("0.0.0.0"))
        let client = try ClientFixture { $0.dialGuard.listeners = [(any, hook.port)] }
        for host in ["127.0.0.1", "127.0.0.77", "localhost"] {
            let outcome = try await client.outcome("http://\(host):\(hook.port)/")
            #expect(outcome == DialRefusal.ownListener.rawValue)
        }
        #expect(hook.requests.isEmpty)
    }

    @Test("A local user's connection serves nobody else")
    func sharing() async throws {
        let hook = try HookServer()
        let client = try ClientFixture()
        let url = "http://127.0.0.1:\(hook.port)/"
        #expect(try await client.outcome(url) == "200")
        #expect(try await client.outcome(url, .anyone) == DialRefusal.notInternet.rawValue)
        #expect(hook.requests.count == 1)
    }

    @Test("Proxies of the environment are not asked")
    func environmentProxy() async throws {
        let proxy = try HookServer()
        setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        setenv("all_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        defer {
            unsetenv("http_proxy")
            unsetenv("all_proxy")
        }
        let hook = try HookServer()
        let client = try ClientFixture()
        #expect(try await client.outcome("http://127.0.0.1:\(hook.port)/") == "200")
        #expect(proxy.requests.isEmpty)
    }

    @Test("The proxy of the configuration is asked for what goes to the internet")
    func proxy() async throws {
        let proxy = try HookServer { _ in HookAnswer(403) }
        let client = try ClientFixture { $0.proxy = "http://127.0.0.1:\(proxy.port)" }
        _ = try await client.send("https://hook.example/", .anyone)
        let hook = try HookServer()
        #expect(try await client.outcome("http://127.0.0.1:\(hook.port)/") == "200")
        #expect(hook.requests.count == 1)
    }

    @Test("An answer that never comes ends the request in its time")
    func timeout() async throws {
        let hook = try HookServer { _ in .never }
        let client = try ClientFixture { $0.patience = .milliseconds(200) }
        let outcome = try await client.outcome("http://127.0.0.1:\(hook.port)/")
        #expect(outcome == CallbackFailure.timedOut.description)
    }

    @Test("More than 64 KiB of an answer are not read, and its status counts")
    func longAnswer() async throws {
        // The rest never comes, so whoever waited for it would have no answer.
        let server = try OneRequestServer()
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n"
            + String(repeating: "x", count: 70_000)
        async let served = onThread { server.serve(answer) }
        let client = try ClientFixture()
        let response = try await client.send("http://127.0.0.1:\(server.port)/").get()
        _ = try await served
        #expect(response.status == 200)
        #expect(response.body.count == 65_536)
    }

    @Test("What HTTP/0.9 would have been is no answer")
    func oldHTTP() async throws {
        let server = try OneRequestServer()
        let client = try ClientFixture()
        async let served = onThread { server.serve("<html>200</html>") }
        let result = try await client.send("http://127.0.0.1:\(server.port)/")
        #expect(throws: CallbackFailure.self) { try result.get() }
        _ = try await served
    }

    @Test("With TLS it is HTTP/2, to whom the authorities of the configuration vouch for")
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let made = try DevelopmentCertificate(
            in: folder.path, hostName: "localhost", now: Date().timeIntervalSince1970)
        let hook = try HookServer(certificates: try CertificateStore(made.files))
        let url = "https://localhost:\(hook.port)/"
        let stranger = try ClientFixture()
        let refused = try await stranger.send(url)
        #expect(throws: CallbackFailure.self) { try refused.get() }
        #expect(hook.requests.isEmpty)
        let allowed = try #require(AddressBlock("127.0.0.1"))
        let client = try ClientFixture {
            $0.authorities = folder.file("development-ca.pem")
            $0.dialGuard.allowed = [allowed]
        }
        #expect(try await client.outcome(url, .anyone) == "200")
        #expect(hook.requests.map(\.version) == [HTTPVersion.http2])
    }

    @Test("Five hundred requests are under way at once")
    func many() async throws {
        let hook = try HookServer()
        let client = try ClientFixture()
        let url = "http://127.0.0.1:\(hook.port)/"
        let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<500 { group.addTask { try await client.outcome(url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count(where: { $0 == "200" }) == 500)
        #expect(hook.requests.count == 500)
    }

    @Test("What is under way when the client is closed is answered")
    func closing() async throws {
        let hook = try HookServer { _ in .never }
        let client = try ClientFixture()
        async let outcome = client.outcome("http://127.0.0.1:\(hook.port)/")
        _ = hook.requests(1)
        client.group.loops[0].post { [client = client.client] in client.close() }
        #expect(try await outcome == CallbackFailure.closed.description)
    }
}

@Suite("Callbacks to sockets", .serialized)
struct SocketCallbackTests {
    private let folder: TemporaryFolder
    private let hook: HookServer
    private let user = getuid()

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("hooks"), withIntermediateDirectories: false)
        hook = try HookServer(at: .unix(path: folder.file("hooks/a.sock")))
    }

    private func outcome(
        _ path: String, _ rights: CallbackRights? = nil,
        _ change: (inout CallbackSettings) -> Void = { _ in }
    ) async throws -> String {
        let client = try ClientFixture {
            $0.unixFolder = folder.file("hooks")
            change(&$0)
        }
        return try await client.outcome("unix:\(path)", rights ?? .localUser(user))
    }

    @Test("A socket in the folder for it is called")
    func called() async throws {
        #expect(try await outcome(folder.file("hooks/a.sock")) == "200")
        #expect(hook.requests.first?.path == "/")
    }

    @Test("One outside of the folder is not, whatever the path looks like")
    func outside() async throws {
        let other = try HookServer(at: .unix(path: folder.file("b.sock")))
        let elsewhere = HeldSocket.Failure.elsewhere.description
        #expect(try await outcome(folder.file("b.sock")) == elsewhere)
        #expect(try await outcome(folder.file("hooks/../b.sock")) != "200")
        #expect(try await outcome(folder.file("hooks") + "/a.sock/../../b.sock") != "200")
        #expect(other.requests.isEmpty)
    }

    @Test("No link is followed, neither at the end nor on the way")
    func links() async throws {
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.file("hooks/link"), withDestinationPath: folder.file("hooks/a.sock"))
        #expect(try await outcome(folder.file("hooks/link")) != "200")
        try files.createSymbolicLink(
            atPath: folder.file("hooks/way"), withDestinationPath: folder.file("hooks"))
        #expect(try await outcome(folder.file("hooks/way/a.sock")) != "200")
        try files.createSymbolicLink(
            atPath: folder.file("alias"), withDestinationPath: folder.file("hooks"))
        let aliased = try await outcome(folder.file("alias/a.sock")) { [folder] in
            $0.unixFolder = folder.file("alias")
        }
        #expect(aliased != "200")
        #expect(hook.requests.isEmpty)
    }

    @Test("A socket of somebody else is not called")
    func foreign() async throws {
        let foreign = HeldSocket.Failure.foreignOwner.description
        #expect(
            try await outcome(folder.file("hooks/a.sock"), .localUser(user + 1)) == foreign)
        #expect(hook.requests.isEmpty)
    }

    @Test("A file that is no socket is not opened")
    func file() async throws {
        try Data().write(to: URL(filePath: folder.file("hooks/file")))
        let outcome = try await outcome(folder.file("hooks/file"))
        #expect(outcome == HeldSocket.Failure.notASocket.description)
    }

    @Test("A socket of the service itself is not called")
    func ourselves() async throws {
        let own = folder.file("hooks/a.sock")
        let outcome = try await outcome(own) { $0.ownSockets = [own] }
        #expect(outcome == HeldSocket.Failure.excluded.description)
    }

    @Test("Who came over the network names only sockets that are allowed by name")
    func allowed() async throws {
        let path = folder.file("hooks/a.sock")
        #expect(
            try await outcome(path, .anyone) == HeldSocket.Failure.elsewhere.description)
        #expect(try await outcome(path, .anyone) { $0.allowedSockets = [path] } == "200")
    }
}
