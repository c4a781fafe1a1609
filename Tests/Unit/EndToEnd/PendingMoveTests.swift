import Foundation
import TestSupport
import Testing

@Suite(
    "Moves that were interrupted, and clusters that are lost",
    .enabled(
        if: SmallNats.program != nil,
        "nats-server is not installed: put it into PATH, or name it in BELLWIRE_NATS_SERVER"))
struct PendingMoveTests {
    private let fixture: ServeFixture
    private let nats: SmallNats

    init() throws {
        fixture = try ServeFixture()
        nats = try SmallNats()
    }

    private var store: [String] {
        ["--store", nats.address, "--node", "a", "--store-replicas", "1"]
    }
    private var serve: [String] { ["--listen", "127.0.0.1:0"] + store }

    private func isThere(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: fixture.state + "/" + name)
    }

    /// As whoever moves leaves it behind when it is killed.
    private func leave(_ name: String, _ text: String) throws {
        try text.write(toFile: fixture.state + "/" + name, atomically: true, encoding: .utf8)
    }

    private func expectOwner() throws {
        #expect(try fixture.run(["owner", "list"]).output.contains("ann"))
    }

    private func begin() throws {
        let server = try fixture.start()
        #expect(try fixture.run(["owner", "add", "ann"]).exitCode == 0)
        #expect(server.end() == 0)
    }

    @Test("The next start finishes a move into a cluster, and one out of it")
    func finished() throws {
        try begin()
        // Nobody has asked for a move.
        let refused = try fixture.run(["serve"] + serve)
        #expect(refused.exitCode == 1 && refused.errors.contains("has a store of its own"))
        #expect(nats.streams.isEmpty)
        try leave("moving", "arriving")
        var server = try fixture.start(serve)
        #expect(server.hasSaid("event=store-moved to=cluster"))
        try expectOwner()
        #expect(!isThere("moving") && nats.streams.count == 3)
        #expect(server.end() == 0)
        let lines = "store = \(nats.address)\nnode = a\nstore-replicas = 1\n"
        try leave("leaving", lines)
        server = try fixture.start()
        #expect(server.hasSaid("event=store-moved to=sqlite"))
        try expectOwner()
        #expect(!isThere("leaving"))
        #expect(server.end() == 0)
    }

    @Test("A move that nobody wants any more is forgotten")
    func undone() throws {
        try begin()
        try leave("moving", "arriving")
        let server = try fixture.start()
        try expectOwner()
        #expect(!isThere("moving") && nats.streams.isEmpty)
        #expect(server.end() == 0)
    }

    @Test("A node whose servers lost everything makes the cluster anew with what it has")
    func rebuilt() throws {
        try begin()
        #expect(try fixture.run(["migrate"] + store).exitCode == 0)
        var server = try fixture.start(serve)
        #expect(server.end() == 0)
        try nats.lose()
        let refused = try fixture.run(["serve"] + serve)
        #expect(refused.exitCode == 4)
        #expect(refused.errors.contains("the log went back: it ends at entry 0"))
        #expect(refused.errors.contains("bellwire cluster rebuild"))
        #expect(nats.streams.isEmpty)
        let moved = try fixture.run(["migrate"] + store)
        #expect(moved.exitCode != 0 && moved.errors.contains("bellwire cluster rebuild"))
        let rebuilt = try fixture.run(["cluster", "rebuild"] + store)
        #expect(rebuilt.exitCode == 0, "\(rebuilt.errors)")
        #expect(rebuilt.output.contains("the cluster begins anew with what this folder has"))
        #expect(!isThere("moving"))
        server = try fixture.start(serve)
        try expectOwner()
        let running = try fixture.run(["cluster", "rebuild"] + store)
        #expect(running.exitCode != 0 && running.errors.contains("another server uses"))
        #expect(server.end() == 0)
        let again = try fixture.run(["cluster", "rebuild"] + store)
        #expect(again.exitCode == 0, "\(again.errors)")
        server = try fixture.start(serve)
        try expectOwner()
        #expect(server.end() == 0)
    }
}

/// One server of NATS, which says that it syncs each write.
// Unchecked: one test at a time uses it.
private final class SmallNats: @unchecked Sendable {
    static let program: String? = {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places =
            environment["BELLWIRE_NATS_SERVER"].map { [$0] } ?? folders.map { $0 + "/nats-server" }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let folder: TemporaryFolder
    private var process: RunningProcess
    private var port = -1

    init() throws {
        folder = try TemporaryFolder()
        process = try Self.launch(folder, port)
        let deadline = Date(timeIntervalSinceNow: 20)
        while port < 0, Date() < deadline {
            let log = (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? ""
            let start = "Listening for client connections on 127.0.0.1:"
            let line = log.split(separator: "\n").first { $0.contains(start) }
            port = line.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) } ?? -1
            usleep(20_000)
        }
        try #require(port > 0)
    }

    private static func launch(_ folder: TemporaryFolder, _ port: Int) throws -> RunningProcess {
        let configuration = """
            listen: "127.0.0.1:\(port)"
            jetstream { store_dir: "\(folder.file("store"))", sync_interval: always }
            system_account: SYS
            accounts {
              SYS: { exports: [ { service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream,
                accounts: [ APP ] } ] }
              APP: {
                jetstream: enabled
                users: [ { user: app, password: app } ]
                imports: [ { service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" },
                  to: "bw.servers" } ]
              }
            }
            """
        try configuration.write(toFile: folder.file("conf"), atomically: true, encoding: .utf8)
        return try RunningProcess(
            #require(program), ["-c", folder.file("conf"), "-l", folder.file("log")])
    }

    var address: String { "nats://app:app@127.0.0.1:\(port)" }

    /// The names of those that it keeps.
    var streams: [String] {
        let path = folder.file("store/jetstream/APP/streams")
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// Comes back with an empty disk.
    func lose() throws {
        process.end(by: SIGKILL)
        try FileManager.default.removeItem(atPath: folder.file("store"))
        process = try Self.launch(folder, port)
        let deadline = Date(timeIntervalSinceNow: 20)
        while Date() < deadline {
            let ready = try RunningProcess(
                "/bin/bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"], errors: .nowhere)
            if ready.wait() == 0 { return }
            usleep(50_000)
        }
    }
}
