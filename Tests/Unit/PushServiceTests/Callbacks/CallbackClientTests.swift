import Base
import Foundation
import HookSupport
import Outbound
import System
import TestSupport
import Testing

@testable import PushService

/// A client with its own loop, behind the rules for callbacks.
final class CallbackClientFixture: Sendable {
    private let group: LoopGroup
    private let client: LoopClient
    private let settings: CallbackSettings

    init(_ change: (inout CallbackSettings) -> Void = { _ in }) throws {
        var settings = CallbackSettings(userAgent: "bellwire/test")
        change(&settings)
        self.settings = settings
        group = try LoopGroup(count: 1)
        client = try LoopClient(on: group.loops[0], settings.client)
        try group.start(name: "client")
    }

    deinit {
        group.stop()
        _ = group.join()
        client.close()
    }

    /// The status, or the reason why there is none.
    func outcome(
        _ url: String, _ rights: CallbackRights = .localUser(getuid())
    ) async throws -> String {
        let request: LoopRequest
        do throws(CallbackSettings.Objection) {
            request = try settings.request(to: url, for: rights, fields: [], body: [])
        } catch { return error.description }
        let result = await withCheckedContinuation { continuation in
            group.loops[0].post { [client] in
                client.send(request) { continuation.resume(returning: $0) }
            }
        }
        switch result {
        case .success(let response): return "\(response.status)"
        case .failure(let failure): return failure.description
        }
    }
}

@Suite("Where callbacks connect to")
struct CallbackClientTests {
    @Test("A caller on the network cannot reach this machine under any name")
    func loopback() async throws {
        let hook = try HookServer()
        let client = try CallbackClientFixture {
            $0.client.fixedNames = ["inside.example:\(hook.port):127.0.0.1"]
        }
        for host in ["localhost", "127.0.0.1", "2130706433", "0x7f.0.0.1", "inside.example"] {
            let url = "https://\(host):\(hook.port)/"
            #expect(
                try await client.outcome(url, .anyone) == DialRefusal.notInternet.rawValue,
                "\(host)")
        }
        #expect(hook.requests.isEmpty)
    }

    @Test("A name is judged each time, because it may resolve differently")
    func rebinding() async throws {
        let hook = try HookServer()
        let allowed = try #require(AddressBlock("127.0.0.1"))
        for (address, isReached) in [("127.0.0.1", true), ("127.0.0.2", false)] {
            let client = try CallbackClientFixture {
                $0.dialGuard.allowed = [allowed]
                $0.client.fixedNames = ["name.example:\(hook.port):\(address)"]
            }
            let outcome = try await client.outcome("http://name.example:\(hook.port)/", .anyone)
            #expect(outcome == (isReached ? "200" : DialRefusal.notInternet.rawValue))
        }
        #expect(hook.requests.count == 1)
    }

    @Test("A forbidden address among several of a name is not dialled")
    func severalAddresses() async throws {
        let hook = try HookServer(at: SocketAddress("0.0.0.0:0"))
        let allowed = try #require(AddressBlock("127.0.0.9"))
        let client = try CallbackClientFixture {
            $0.dialGuard.allowed = [allowed]
            $0.client.fixedNames = [
                "name.example:\(hook.port):127.0.0.1,[::ffff:127.0.0.9],10.0.0.1,127.0.0.9"
            ]
        }
        #expect(try await client.outcome("http://name.example:\(hook.port)/", .anyone) == "200")
        #expect(hook.requests.count == 1)
    }

    @Test("Forbidden addresses of a name do not prevent connecting to an allowed one")
    func refusedBesides() async throws {
        let hook = try HookServer(at: SocketAddress("[::]:0"))
        let allowed = try ["::1", "127.0.0.9"].map { try #require(AddressBlock($0)) }
        let client = try CallbackClientFixture {
            $0.dialGuard.allowed = allowed
            $0.client.fixedNames = ["name.example:\(hook.port):127.0.0.1,[::1],10.0.0.1,127.0.0.9"]
        }
        for _ in 0..<20 {
            #expect(
                try await client.outcome("http://name.example:\(hook.port)/", .anyone) == "200")
        }
    }

    @Test("A wrapped address is not dialled, not even for a local user")
    func mapped() async throws {
        let hook = try HookServer()
        let client = try CallbackClientFixture {
            $0.client.fixedNames = ["name.example:\(hook.port):[::ffff:127.0.0.1]"]
        }
        let url = "http://name.example:\(hook.port)/"
        #expect(try await client.outcome(url) == DialRefusal.wrapped.rawValue)
        #expect(hook.requests.isEmpty)
    }

    @Test("The service's own listeners are not called under any address of this machine")
    func ourselves() async throws {
        let hook = try HookServer(at: SocketAddress("0.0.0.0:0"))
        let any = try #require(IPAddress("0.0.0.0"))
        let client = try CallbackClientFixture { $0.dialGuard.listeners = [(any, hook.port)] }
        for host in ["127.0.0.1", "127.0.0.77", "localhost"] {
            let outcome = try await client.outcome("http://\(host):\(hook.port)/")
            #expect(outcome == DialRefusal.ownListener.rawValue)
        }
        #expect(hook.requests.isEmpty)
    }

    @Test("A local user's connection is not reused for others")
    func sharing() async throws {
        let hook = try HookServer()
        // Some address is allowed without TLS, so that the request is refused when it is dialled.
        let allowed = try #require(AddressBlock("127.0.0.9"))
        let client = try CallbackClientFixture {
            $0.dialGuard.allowed = [allowed]
            $0.client.fixedNames = ["name.example:\(hook.port):127.0.0.1"]
        }
        let url = "http://name.example:\(hook.port)/"
        #expect(try await client.outcome(url) == "200")
        #expect(try await client.outcome(url, .anyone) == DialRefusal.notInternet.rawValue)
        #expect(hook.requests.count == 1)
    }

    @Test("The configured proxy is used for requests to the internet only")
    func proxy() async throws {
        let proxy = try HookServer { _ in HookAnswer(403) }
        let client = try CallbackClientFixture { $0.proxy = "http://127.0.0.1:\(proxy.port)" }
        _ = try await client.outcome("https://hook.example/", .anyone)
        let hook = try HookServer()
        #expect(try await client.outcome("http://127.0.0.1:\(hook.port)/") == "200")
        #expect(hook.requests.count == 1)
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
        let client = try CallbackClientFixture {
            $0.unixFolder = folder.file("hooks")
            change(&$0)
        }
        return try await client.outcome("unix:\(path)", rights ?? .localUser(user))
    }

    @Test("A socket in the configured folder is called")
    func called() async throws {
        #expect(try await outcome(folder.file("hooks/a.sock")) == "200")
        #expect(hook.requests.first?.path == "/")
    }

    @Test("A socket outside of the folder is not called, whatever the path looks like")
    func outside() async throws {
        let other = try HookServer(at: .unix(path: folder.file("b.sock")))
        let elsewhere = CheckedSocket.Failure.elsewhere.description
        #expect(try await outcome(folder.file("b.sock")) == elsewhere)
        #expect(try await outcome(folder.file("hooks/../b.sock")) != "200")
        #expect(try await outcome(folder.file("hooks") + "/a.sock/../../b.sock") != "200")
        #expect(other.requests.isEmpty)
    }

    @Test("No link in the path is followed")
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

    @Test("A socket of another user is not called")
    func foreign() async throws {
        let foreign = CheckedSocket.Failure.foreignOwner.description
        #expect(
            try await outcome(folder.file("hooks/a.sock"), .localUser(user + 1)) == foreign)
        #expect(hook.requests.isEmpty)
    }

    @Test("A file that is not a socket is not opened")
    func file() async throws {
        try Data().write(to: URL(filePath: folder.file("hooks/file")))
        let outcome = try await outcome(folder.file("hooks/file"))
        #expect(outcome == CheckedSocket.Failure.notASocket.description)
    }

    @Test("A socket of the service itself is not called")
    func ourselves() async throws {
        let own = folder.file("hooks/a.sock")
        let outcome = try await outcome(own) { $0.ownSockets = [own] }
        #expect(outcome == CheckedSocket.Failure.excluded.description)
    }

    @Test("A caller on the network can name only sockets that the configuration allows")
    func allowed() async throws {
        let path = folder.file("hooks/a.sock")
        #expect(
            try await outcome(path, .anyone) == CallbackSettings.Objection.unixSocket.description)
        #expect(try await outcome(path, .anyone) { $0.allowedSockets = [path] } == "200")
    }
}
