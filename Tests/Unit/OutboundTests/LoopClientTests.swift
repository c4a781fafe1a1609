import Base
import Crypto
import Foundation
import HTTP
import HookSupport
import System
import TestSupport
import Testing
@testable import Outbound

/// A client with its own loop, and one call for a request and its answer.
final class ClientFixture: Sendable {
    let group: LoopGroup
    let client: LoopClient

    init(_ change: (inout LoopClient.Settings) -> Void = { _ in }) throws {
        var settings = LoopClient.Settings(userAgent: "bellwire/test")
        change(&settings)
        group = try LoopGroup(count: 1)
        client = try LoopClient(on: group.loops[0], settings)
        try group.start(name: "client")
    }

    deinit {
        group.stop()
        _ = group.join()
        client.close()
    }

    func send(_ url: String, body: String = "{}") async -> Result<HTTPResponse, RequestFailure> {
        var request = LoopRequest(
            url: url, isEncrypted: url.hasPrefix("https:"),
            fields: [("content-type", "application/json")], body: Array(body.utf8))
        request.objection = { _ in nil }
        return await send(request)
    }

    func send(_ request: LoopRequest) async -> Result<HTTPResponse, RequestFailure> {
        await withCheckedContinuation { continuation in
            group.loops[0].post { [client] in
                client.send(request) { continuation.resume(returning: $0) }
            }
        }
    }

    /// The status, or why there is none.
    func outcome(_ url: String) async -> String { Self.text(await send(url)) }

    func outcome(_ request: LoopRequest) async -> String { Self.text(await send(request)) }

    private static func text(_ result: Result<HTTPResponse, RequestFailure>) -> String {
        switch result {
        case .success(let response): "\(response.status)"
        case .failure(let failure): failure.description
        }
    }
}

@Suite("Requests on an event loop")
struct LoopClientTests {
    @Test("A request arrives with its fields and body, and its answer is returned")
    func request() async throws {
        let hook = try HookServer { _ in HookAnswer(202, [("webhook-challenge", "x")]) }
        let client = try ClientFixture()
        let result = await client.send("http://127.0.0.1:\(hook.port)/hook", body: "[1]")
        let response = try result.get()
        #expect(response.status == 202)
        #expect(response.field("webhook-challenge") == "x")
        let seen = try #require(hook.requests.first)
        #expect(seen.path == "/hook")
        #expect(seen.text == "[1]")
        #expect(seen.fields["content-type"] == "application/json")
        #expect(seen.fields["user-agent"] == "bellwire/test")
    }

    @Test(
        "A name with IPv4 and IPv6 addresses is called where it answers",
        arguments: ["127.0.0.1:0", "[::]:0"])
    func bothVersions(listener: String) async throws {
        let hook = try HookServer(at: SocketAddress(listener))
        let client = try ClientFixture {
            $0.fixedNames = ["name.example:\(hook.port):[::1],127.0.0.1,127.0.0.2"]
        }
        for _ in 0..<20 {
            #expect(await client.outcome("http://name.example:\(hook.port)/") == "200")
        }
        #expect(hook.requests.count == 20)
    }

    @Test("A redirect is an answer like any other, wherever it leads")
    func redirect() async throws {
        let inner = try HookServer()
        let url = "http://127.0.0.1:\(inner.port)/inside"
        let outer = try HookServer { _ in HookAnswer(307, [("location", url)]) }
        let client = try ClientFixture()
        #expect(await client.outcome("http://127.0.0.1:\(outer.port)/") == "307")
        #expect(inner.requests.isEmpty)
    }

    @Test("Proxies of the environment are not used")
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
        #expect(await client.outcome("http://127.0.0.1:\(hook.port)/") == "200")
        #expect(proxy.requests.isEmpty)
    }

    @Test("A request without an answer times out")
    func timeout() async throws {
        let hook = try HookServer { _ in .never }
        let client = try ClientFixture { $0.patience = .milliseconds(200) }
        let outcome = await client.outcome("http://127.0.0.1:\(hook.port)/")
        #expect(outcome == RequestFailure.timedOut.description)
    }

    @Test("At most 64 KiB of an answer are read, and its status counts")
    func longAnswer() async throws {
        // The rest never comes, so waiting for it would give no answer.
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

    @Test("A request without a body is a GET, whose answer may be as long as it says")
    func get() async throws {
        let long = [UInt8](repeating: 7, count: 200_000)
        let hook = try HookServer { _ in HookAnswer(body: long) }
        let client = try ClientFixture()
        var request = LoopRequest(
            url: "http://127.0.0.1:\(hook.port)/p", isEncrypted: false, fields: [("accept", "x")],
            body: nil)
        request.objection = { _ in nil }
        request.answerLimit = 200_000
        #expect(try await client.send(request).get().body == long)
        request.answerLimit = 100_000
        #expect(try await client.send(request).get().body.count == 100_000)
        let seen = try #require(hook.requests.first)
        #expect(seen.fields["content-length"] == nil && seen.fields["accept"] == "x")
    }

    @Test("HTTP/0.9 is not accepted as an answer")
    func oldHTTP() async throws {
        let server = try OneRequestServer()
        let client = try ClientFixture()
        async let served = onThread { server.serve("<html>200</html>") }
        let result = await client.send("http://127.0.0.1:\(server.port)/")
        #expect(throws: RequestFailure.self) { try result.get() }
        _ = try await served
    }

    @Test("With TLS it uses HTTP/2, and trusts the configured authorities only")
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let made = try DevelopmentCertificate(
            in: folder.path, hostName: "localhost", now: Date().timeIntervalSince1970)
        let hook = try HookServer(certificates: try CertificateStore(made.files))
        let url = "https://localhost:\(hook.port)/"
        let stranger = try ClientFixture()
        let refused = await stranger.send(url)
        #expect(throws: RequestFailure.self) { try refused.get() }
        #expect(hook.requests.isEmpty)
        let client = try ClientFixture { $0.authorities = folder.file("development-ca.pem") }
        #expect(await client.outcome(url) == "200")
        #expect(hook.requests.map(\.version) == [HTTPVersion.http2])
    }

    @Test("Five hundred requests are under way at once")
    func many() async throws {
        let hook = try HookServer()
        let client = try ClientFixture()
        let url = "http://127.0.0.1:\(hook.port)/"
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<500 { group.addTask { await client.outcome(url) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count(where: { $0 == "200" }) == 500)
        #expect(hook.requests.count == 500)
    }

    @Test("Requests under way when the client closes are completed as failures")
    func closing() async throws {
        let hook = try HookServer { _ in .never }
        let client = try ClientFixture()
        async let outcome = client.outcome("http://127.0.0.1:\(hook.port)/")
        _ = hook.requests(1)
        client.group.loops[0].post { [client = client.client] in client.close() }
        #expect(await outcome == RequestFailure.closed.description)
    }

    @Test("An address that the request objects to is not dialled")
    func objection() async throws {
        let hook = try HookServer()
        let client = try ClientFixture {
            $0.fixedNames = ["name.example:\(hook.port):[::ffff:127.0.0.1],127.0.0.2,127.0.0.1"]
        }
        var request = LoopRequest(
            url: "http://name.example:\(hook.port)/", isEncrypted: false, fields: [], body: [])
        #expect(await client.outcome(request) == "no rule allows this address")
        request.objection = { $0.isMapped || $0.address != IPAddress("127.0.0.1") ? "no" : nil }
        #expect(await client.outcome(request) == "200")
        request.objection = { _ in "not today" }
        request.sharesConnection = false
        #expect(await client.outcome(request) == "not today")
        #expect(hook.requests.count == 1)
    }

    @Test("Whether this machine has an address is what the kernel says")
    func isOurs() throws {
        #expect(DialledAddress.isOurs(try #require(IPAddress("127.0.0.1"))))
        #expect(!DialledAddress.isOurs(try #require(IPAddress("192.0.2.1"))))
        #expect(!DialledAddress.isOurs(try #require(IPAddress("2001:db8::1"))))
    }
}
