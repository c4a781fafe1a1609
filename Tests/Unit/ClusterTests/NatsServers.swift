import Foundation
import TestSupport
import Testing

@testable import Cluster

/// Three servers of NATS on this machine, as one cluster. They are killed with the last reference.
// Unchecked: the processes are only changed by one test at a time.
final class NatsServers: @unchecked Sendable {
    static let count = 3
    @TaskLocal static var current: NatsServers?

    /// The program, if it is installed.
    static let program: String? = {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places =
            environment["BELLWIRE_NATS_SERVER"].map { [$0] } ?? folders.map { $0 + "/nats-server" }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let folder: TemporaryFolder
    private let ports: [(client: UInt16, route: UInt16)]
    private var processes: [RunningProcess] = []

    init() throws {
        folder = try TemporaryFolder()
        let free = try FreePort.take(2 * Self.count)
        ports = (0..<Self.count).map { (free[2 * $0], free[2 * $0 + 1]) }
        for server in 0..<Self.count {
            try Data(configuration(server).utf8).write(to: URL(filePath: file(server)))
        }
        processes = try (0..<Self.count).map(launch)
        for server in 0..<Self.count { try wait(for: server) }
    }

    /// Somebody else may have taken a port that was free.
    static func started() throws -> NatsServers {
        do { return try NatsServers() } catch is Ended { return try NatsServers() }
    }

    struct Ended: Error {
        let log: String?
    }

    /// Until it takes connections.
    private func wait(for server: Int) throws {
        let settings = ClusterSettings(
            servers: [address(server, user: ClusterUser.survey.rawValue)], name: "test")
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            do { return try NatsConnection(settings).close() } catch {
                if processes[server].status != nil {
                    throw Ended(log: try? String(contentsOfFile: log(server), encoding: .utf8))
                }
                if Date() > deadline { throw error }
            }
            usleep(50_000)
        }
    }

    /// Of one server, for a user of an account of its own.
    func address(_ server: Int, user: String) -> String {
        "nats://\(user):\(user)@127.0.0.1:\(ports[server].client)"
    }

    func port(_ server: Int) -> UInt16 { ports[server].client }

    /// Of all servers.
    func settings(_ name: String, user: String) -> ClusterSettings {
        ClusterSettings(
            servers: (0..<Self.count).map { address($0, user: user) }, name: name)
    }

    func signal(_ number: Int32, to server: Int) { processes[server].signal(number) }

    /// Kills a server and starts it again later, with what it had on its disk.
    func kill(_ server: Int) { processes[server].end(by: SIGKILL) }

    func start(_ server: Int) throws {
        processes[server] = try launch(server)
        try wait(for: server)
    }

    /// Ends all servers, lets `change` do something with their folders, and starts them.
    func restart(_ change: (_ folders: [String]) throws -> Void) throws {
        for process in processes {
            process.signal(SIGTERM)
            _ = process.wait()
        }
        try change((0..<Self.count).map { folder.file("\($0)") })
        processes = try (0..<Self.count).map(launch)
        for server in 0..<Self.count { try wait(for: server) }
    }

    func end() {
        for process in processes {
            process.signal(SIGCONT)
            process.end(by: SIGKILL)
        }
    }

    private func file(_ server: Int) -> String { folder.file("\(server).conf") }

    private func log(_ server: Int) -> String { folder.file("\(server).log") }

    private func launch(_ server: Int) throws -> RunningProcess {
        let program = try #require(Self.program)
        // What it says is in the folder.
        return try RunningProcess(
            program, ["-c", file(server), "-l", log(server)], errors: .inherited)
    }

    private func configuration(_ server: Int) -> String {
        let routes = ports.map { "nats://127.0.0.1:\($0.route)" }.joined(separator: ", ")
        let accounts = ClusterUser.allCases.map { user in
            let imports = """
                imports: [ { service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" },
                  to: "bw.servers" } ]
                """
            return """
                \(user): {
                  jetstream: enabled
                  users: [ { user: \(user), password: \(user) } ]
                  \(user == .survey ? imports : "")
                }
                """
        }
        return """
            server_name: n\(server)
            listen: "127.0.0.1:\(ports[server].client)"
            jetstream { store_dir: "\(folder.file("\(server)"))", sync_interval: always }
            cluster { name: c, listen: "127.0.0.1:\(ports[server].route)", routes: [ \(routes) ] }
            system_account: SYS
            accounts {
              SYS: {
                users: [ { user: system, password: system } ]
                exports: [ { service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream,
                  accounts: [ survey ] } ]
              }
              \(accounts.joined(separator: "\n  "))
            }
            """
    }
}

/// Each test has an account, and so its own streams.
enum ClusterUser: String, CaseIterable {
    case contention, crash, hanging, large, unknown, cutOff, isolated, record, lease, snapshot,
        survey, leftovers, schema, keys, moving, leaving, notEnded, emptied, wentBack, rewritten,
        differing, compared, slowLink, files, peers
}

/// Starts the servers before the first test of a suite, and ends them after the last one.
struct WithServers: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let servers = try await onThread { try NatsServers.started() }
        defer { servers.end() }
        try await NatsServers.$current.withValue(servers) { try await function() }
    }
}

enum FreePort {
    struct NoPort: Error {}

    /// So many that nobody has now, each another.
    static func take(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            sockets.append(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
            return try bound(sockets[sockets.count - 1])
        }
    }

    static func address(of port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return address
    }

    static func bound(_ socket: Int32) throws -> UInt16 {
        var address = address(of: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
            }
        }
        guard isBound else { throw NoPort() }
        return UInt16(bigEndian: address.sin_port)
    }
}
