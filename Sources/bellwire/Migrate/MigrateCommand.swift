import API
import Base
import Cluster
import Configuration
import Mailbox
import System

extension Command {
    static let migrate = Command(
        name: "migrate",
        summary: "move the store to a cluster, or back to one machine, while it is served",
        details: """
            With sqlite, the store is on this machine alone; on the servers of NATS, several nodes can
            share it. First write the new value of store into the configuration of the server, because
            its next start reads that. Then run this, as the user of the server: it asks the running
            server to move. Devices stay connected while the store is copied. At the end nothing can be
            stored for a moment; then the server starts again at the new place, and clients connect
            again. No endpoint changes, and no message is lost. If no server runs, the folder is moved.

            A cluster must not have a store yet. Other nodes then start with an empty folder and the
            same master key. To move back, end all nodes but one, and run it there; the cluster has
            then ended, and no node starts with it any more. What it leaves on its servers goes with
            --remove.
            """,
        options: [
            Option(
                "to", "STORE",
                help: """
                    sqlite, or the servers of the cluster as store has them (default: what the \
                    configuration says)
                    """),
            Option(
                "remove",
                help: """
                    remove what a cluster leaves on its servers: after the move, or without --to, of \
                    one that has ended
                    """),
        ] + ConfigurationSources.options(of: MigrateCommand.keys) + [.json],
        examples: [
            Example("bellwire migrate", help: "move to where the configuration says"),
            Example(
                "bellwire migrate --to sqlite --remove",
                help: "move back to this machine, and leave nothing on the servers"),
        ]
    ) { arguments in
        return try MigrateCommand(arguments).run()
    }
}

struct MigrateCommand {
    static let keys = [.state, .keys, .store] + ConfigurationKey.ofCluster

    private let arguments: Arguments
    private let progress: Progress

    init(_ arguments: Arguments) {
        self.arguments = arguments
        progress = Progress(Progress.Form(arguments))
    }

    func run() throws -> ExitCode {
        // Nothing else of the configuration need be right for a store of one machine.
        let isForOne = arguments["to"] == "sqlite"
        let configuration = try ConfigurationSources.read(
            arguments, store: isForOne ? nil : arguments["to"])
        let target = isForOne ? nil : configuration.remoteStore
        let removes = arguments.has("remove")
        if removes, !arguments.has("to") { return try remove(configuration) }
        let control = try? ControlConnection(configuration, isNamed: arguments.has("state"))
        if let control, control.isThere {
            return try ServerMoving(control, progress).run(
                to: target, named: arguments["to"], removes: removes)
        }
        return try FolderMove(target: target, configuration: configuration, progress: progress)
            .run(removes: removes)
    }

    private func remove(_ configuration: ServerConfiguration) throws -> ExitCode {
        guard let remote = configuration.remoteStore else {
            throw CommandError.usage(
                "the servers are not known", hint: "name them by --store as they were named before")
        }
        try FolderMove.remove(remote)
        try MoveText.end(progress, "removed", "the servers have nothing of the cluster any more\n")
        return .success
    }
}

/// The result of a move, for people and for programs.
enum MoveText {
    static func end(
        _ progress: Progress, _ event: String, _ text: String, paused: Int64? = nil
    ) throws {
        let line = JSONWriter.line { writer in
            writer.member("event", event)
            if let paused { writer.member("paused_ms", Int(paused)) }
        }
        try progress.end(text, line)
    }

    static func moved(to target: RemoteStore?, paused: Int64?) -> String {
        let pause = paused.map { "; nothing could be stored for \($0) ms" } ?? ""
        guard let target else {
            return "the store is on this machine alone\(pause)\n"
        }
        let node = Printable.text(target.node)
        return """
            the store is on the servers of NATS, and this machine is the node \(node)\(pause)
            other nodes can start now, each with an empty folder and the same master key

            """
    }
}

/// Moves the store in a folder that no server uses.
struct FolderMove {
    /// Nil for this machine alone.
    let target: RemoteStore?
    let configuration: ServerConfiguration
    let progress: Progress

    func run(removes: Bool) throws -> ExitCode {
        let folder = configuration.state
        guard let place = try StorePlace(in: folder) else {
            throw CommandError(
                message: "there is no store in \(folder)",
                hint: "name the server's state folder by --state")
        }
        let lock = try StateFolder(folder)
        if let target {
            guard place.applied == 0 else {
                throw CommandError(
                    message: "the store in \(folder) is in a cluster already",
                    hint: "start bellwire serve with that cluster as store; if its servers have "
                        + "lost everything, run bellwire cluster rebuild")
            }
            try PendingMove.arriving.begin(in: folder)
            defer { PendingMove.end(in: folder) }
            try moveIn(target, folder, lock)
        } else {
            guard place.applied > 0 else {
                throw CommandError(message: "the store in \(folder) is on this machine already")
            }
            try moveOut(folder, lock, removes: removes)
        }
        try MoveText.end(progress, "moved", text)
        return .success
    }

    static func remove(_ remote: RemoteStore) throws {
        try ClusterLeftovers.remove(try ClusterNode.settings(remote))
    }

    private var text: String {
        MoveText.moved(to: target, paused: nil)
            + "let store say so in the configuration before you start the server\n"
    }

    private func moveIn(
        _ remote: RemoteStore, _ folder: String, _ lock: StateFolder
    ) throws {
        let store = try SQLiteStore(try StoreMove.options(configuration, lock))
        defer { store.close() }
        try move(store, folder).run(into: remote)
    }

    private func moveOut(_ folder: String, _ lock: StateFolder, removes: Bool) throws {
        guard let remote = configuration.remoteStore else {
            throw CommandError.usage(
                "the servers of the cluster are not known",
                hint: "name them by --store as the configuration did before")
        }
        try PendingMoveFromCluster.run(from: remote, in: folder) {
            try StoreMove.takeOut(
                of: remote, configuration, lock, removes: removes, Log()
            ) { [progress] step, done, total in
                progress.advance(step.rawValue, to: done, of: total)
            }
        }
    }

    private func move(_ store: SQLiteStore, _ folder: String) -> StoreMove {
        StoreMove(store: store, folder: folder) { [progress] step, done, total in
            progress.advance(step.rawValue, to: done, of: total)
        }
    }
}
