import Cluster
import Configuration
import Foundation
import System
import TestSupport
import Testing

@testable import bellwire

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

    /// Begins something, and returns when this file says that it is under way.
    private func launch(_ arguments: [String], until name: String) throws -> RunningProcess {
        let process = try RunningProcess(
            Program.path, arguments, environment: fixture.environment, errors: .nowhere)
        let deadline = Date(timeIntervalSinceNow: 30)
        while !isThere(name), process.status == nil, Date() < deadline { usleep(1_000) }
        #expect(isThere(name))
        return process
    }

    private func expectMoved(_ arguments: [String], to place: String) throws {
        let server = try fixture.start(arguments)
        #expect(server.hasSaid("event=store-moved to=\(place)"))
        try expectOwner()
        #expect(!isThere("moving") && !isThere("leaving") && !isThere("leaving.new"))
        #expect(server.end() == 0)
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
        nats.signal(SIGSTOP)
        try launch(["migrate"] + store, until: "moving").end(by: SIGKILL)
        nats.signal(SIGCONT)
        try expectMoved(serve, to: "cluster")
        #expect(nats.streams.count == 3)
        // It waits for signs of others, for five seconds.
        try launch(["migrate", "--to", "sqlite"] + store, until: "leaving").end(by: SIGKILL)
        try leave("leaving.new", "")
        try expectMoved(["--listen", "127.0.0.1:0"], to: "sqlite")
    }

    @Test("The next start finishes what a running server was killed in")
    func killedServer() throws {
        let path = fixture.home.file("conf")
        let listen = "listen = 127.0.0.1:0\n"
        let lines = "store = \(nats.address)\nnode = a\nstore-replicas = 1\n"
        try listen.write(toFile: path, atomically: true, encoding: .utf8)
        let server = try fixture.start(["--config", path])
        #expect(try fixture.run(["owner", "add", "ann"]).exitCode == 0)
        try (listen + lines).write(toFile: path, atomically: true, encoding: .utf8)
        nats.signal(SIGSTOP)
        let asking = try launch(["migrate", "--config", path], until: "moving")
        _ = server.end(by: SIGKILL)
        asking.end(by: SIGKILL)
        nats.signal(SIGCONT)
        try expectMoved(["--config", path], to: "cluster")
    }

    @Test("A move out of a cluster stays pending unless the cluster says that it was none")
    func unknownEnd() throws {
        let lines = "store = \(nats.address)\nnode = a\n"
        let remote = try #require(try RemoteStore(lines: lines, environment: [:]))
        try FileManager.default.createDirectory(
            atPath: fixture.state, withIntermediateDirectories: true)
        // The machine may fail after the cluster has ended.
        let faults: [(any Error, isPending: Bool)] = [
            (ClusterFault.noAnswer, true), (ClusterFault.othersLive([]), false),
            (SystemError("fsync"), true),
        ]
        for (fault, isPending) in faults {
            #expect(throws: (any Error).self) {
                try PendingMoveFromCluster.run(from: remote, in: fixture.state) { throw fault }
            }
            #expect(isThere("leaving") == isPending)
        }
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

    /// A folder of a cluster.
    private func join() throws {
        try begin()
        let moved = try fixture.run(["migrate"] + store)
        #expect(moved.exitCode == 0, "\(moved.errors)")
    }

    @Test("A rebuild that was killed is finished by the next start, and nobody serves beside it")
    func killed() throws {
        try join()
        let rebuilding = try launch(["cluster", "rebuild"] + store, until: "moving")
        let refused = try fixture.run(["serve"] + serve)
        #expect(refused.exitCode == 1 && refused.errors.contains("another server uses"))
        rebuilding.end(by: SIGKILL)
        try expectMoved(serve, to: "cluster")
    }

    @Test("A rebuild that could not remove what the servers have is finished by the next start")
    func interrupted() throws {
        try join()
        nats.stop()
        try nats.start(mayRemove: false)
        #expect(try fixture.run(["cluster", "rebuild"] + store).exitCode == 4)
        let step = try String(contentsOfFile: fixture.state + "/moving", encoding: .utf8)
        #expect(step == "clearing")
        nats.stop()
        try nats.start()
        try expectMoved(serve, to: "cluster")
        #expect(nats.streams.count == 3)
    }

    @Test("A rebuild without its key, or from a folder that lacks something, changes nothing")
    func refused() throws {
        try join()
        let (key, kept) = (fixture.state + "/keys/master.json", fixture.home.file("master.json"))
        try FileManager.default.moveItem(atPath: key, toPath: kept)
        #expect(try fixture.run(["keys", "new", "master", key]).exitCode == 0)
        var rebuilt = try fixture.run(["cluster", "rebuild"] + store)
        #expect(rebuilt.exitCode == 1 && !isThere("moving"), "\(rebuilt.errors)")
        try FileManager.default.removeItem(atPath: key)
        try FileManager.default.moveItem(atPath: kept, toPath: key)
        let former = fixture.home.file("former")
        try FileManager.default.copyItem(atPath: fixture.state, toPath: former)
        var server = try fixture.start(serve)
        #expect(try fixture.run(["owner", "add", "bob"]).exitCode == 0)
        #expect(server.end() == 0)
        rebuilt = try fixture.run(["cluster", "rebuild", "--state", former] + store)
        #expect(rebuilt.exitCode == 4)
        #expect(rebuilt.errors.contains("the servers have more than this folder"))
        server = try fixture.start(serve)
        #expect(try fixture.run(["owner", "list"]).output.contains("bob"))
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
        let deadline = Date(timeIntervalSinceNow: 60)
        while port < 0, Date() < deadline {
            let log = (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? ""
            let start = "Listening for client connections on 127.0.0.1:"
            let line = log.split(separator: "\n").first { $0.contains(start) }
            port = line.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) } ?? -1
            usleep(20_000)
        }
        try #require(port > 0)
    }

    private static func launch(
        _ folder: TemporaryFolder, _ port: Int, mayRemove: Bool = true
    ) throws -> RunningProcess {
        let rights = """
            , permissions: { publish: { deny: ["$JS.API.STREAM.DELETE.>", "$JS.API.STREAM.PURGE.>"] } }
            """
        let configuration = """
            listen: "127.0.0.1:\(port)"
            jetstream { store_dir: "\(folder.file("store"))", sync_interval: always }
            system_account: SYS
            accounts {
              SYS: { exports: [ { service: "$SYS.REQ.SERVER.PING.JSZ", response_type: stream,
                accounts: [ APP ] } ] }
              APP: {
                jetstream: enabled
                users: [ { user: app, password: app\(mayRemove ? "" : rights) } ]
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

    func signal(_ number: Int32) { process.signal(number) }

    /// Comes back with an empty disk.
    func lose() throws {
        stop()
        try FileManager.default.removeItem(atPath: folder.file("store"))
        try start()
    }

    func stop() { process.end(by: SIGKILL) }

    func start(mayRemove: Bool = true) throws {
        process = try Self.launch(folder, port, mayRemove: mayRemove)
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            let ready = try RunningProcess(
                "/bin/bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"], errors: .nowhere)
            if ready.wait() == 0 { return }
            usleep(50_000)
        }
    }
}
