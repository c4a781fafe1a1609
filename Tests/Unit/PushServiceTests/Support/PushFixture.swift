import API
import Base
import Configuration
import Crypto
import Foundation
import HTTP
import Mailbox
import System
import TestSupport

@testable import PushService

/// The push service on a port of 127.0.0.1, with a store in a folder of its own.
final class PushFixture {
    static let host = "push.example"

    /// What a test decides, and what survives a restart of the service.
    struct Plan {
        var loops = 1
        var baseURL = "https://push.example"
        var aliases: [String] = []
        var settings: (inout PushServiceSettings) -> Void = { _ in }
        var store: (inout SQLiteStore.Options) -> Void = { _ in }
        var listener = HTTPListenerTerms()
    }

    private struct Running {
        let server: HTTPServer
        let service: ServiceState
        let pushes: PushLoops
        let api: APILoops
        let store: SQLiteStore
        let gate: GatedStore
        let port: UInt16
    }

    let folder: TemporaryFolder
    private let plan: Plan
    private let masterKey: MasterKey
    private var current: Running?

    init(_ change: (inout Plan) -> Void = { _ in }) throws {
        var plan = Plan()
        change(&plan)
        self.plan = plan
        folder = try TemporaryFolder()
        masterKey = try MasterKey.generate()
        current = try Self.start(plan, folder, masterKey)
    }

    deinit { stop() }

    private var running: Running {
        guard let current else { preconditionFailure("the service is stopped") }
        return current
    }

    var port: UInt16 { running.port }
    var store: SQLiteStore { running.store }
    /// Stands between the service and its store.
    var gate: GatedStore { running.gate }
    var service: ServiceState { running.service }
    var loops: [EventLoop] { running.server.loops }

    private static func start(
        _ plan: Plan, _ folder: TemporaryFolder, _ key: MasterKey
    ) throws -> Running {
        signal(SIGPIPE, SIG_IGN)
        var options = SQLiteStore.Options(folder: folder.file("state"), masterKey: key)
        plan.store(&options)
        let store = try SQLiteStore(options)
        try store.serve(at: plan.baseURL)
        var settings = PushServiceSettings(
            baseURL: try BaseURL(plan.baseURL),
            aliases: try plan.aliases.map { try BaseURL(alias: $0).origin }, version: "test")
        plan.settings(&settings)
        let gate = GatedStore(store)
        let service = ServiceState(
            store: gate, endpointKey: store.endpointKey, settings: settings)
        let (pushes, api) = (PushLoops(service), APILoops(service))
        let server = try HTTPServer(loops: plan.loops) { loop in
            try pushes.handler(on: loop) { api.routes(on: loop, for: $0) }
        }
        let any = SocketAddress("127.0.0.1:0") ?? .unix(path: "")
        let address = try server.listen(on: try ListeningSocket.tcp(any), plan.listener).address
        guard case .ip(_, let port) = address else { throw POSIXError(.EADDRNOTAVAIL) }
        try server.start(name: "push")
        return Running(
            server: server, service: service, pushes: pushes, api: api, store: store, gate: gate,
            port: port)
    }

    /// The files are free when this returns.
    private func stop() {
        guard let running = current.take() else { return }
        running.gate.open()
        running.server.drain(within: .zero)
        _ = running.server.join()
        running.store.close()
        running.service.close()
        running.pushes.close()
        running.api.close()
    }

    /// Ends everything and starts it again with the same files.
    func restart() throws {
        stop()
        current = try Self.start(plan, folder, masterKey)
    }
}

extension PushFixture {
    typealias Fields = [(String, String)]

    /// Sends one request on a connection of its own. `target` may be a whole endpoint.
    func request(
        _ method: String, _ target: String, _ fields: Fields = [], body: [UInt8]? = nil
    ) throws -> HTTPAnswer {
        let socket = try ByteSocket(port: port)
        socket.send(Self.bytes(method, target, fields, body: body))
        return HTTPAnswer(from: socket, hasBody: method != "HEAD")
    }

    static func bytes(
        _ method: String, _ target: String, _ fields: Fields, body: [UInt8]?
    ) -> [UInt8] {
        var head = "\(method) \(path(of: target)) HTTP/1.1\r\n"
        if !fields.contains(where: { $0.0.lowercased() == "host" }) {
            head += "Host: \(host)\r\n"
        }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }

    static func path(of target: String) -> String {
        guard let start = target.range(of: "://")?.upperBound else { return target }
        let slash = target[start...].firstIndex(of: "/") ?? target.endIndex
        return String(target[slash...])
    }

    /// A push as a modern sender makes it, with added or changed fields.
    func push(
        _ endpoint: String, _ body: String = "", ttl: String? = "60", _ fields: Fields = [],
        method: String = "POST"
    ) throws -> HTTPAnswer {
        var all: Fields = ttl.map { [("TTL", $0)] } ?? []
        if !body.isEmpty, !fields.contains(where: { $0.0 == "Content-Encoding" }) {
            all.append(("Content-Encoding", "aes128gcm"))
        }
        return try request(method, endpoint, all + fields, body: Array(body.utf8))
    }

    /// A user agent that has said hello.
    func userAgent(_ uaid: String? = nil, extensions: String = "") throws -> UserAgent {
        let agent = try UserAgent(self)
        try agent.hello(uaid, extensions: extensions)
        return agent
    }
}
