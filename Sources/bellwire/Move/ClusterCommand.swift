import Base
import Configuration
import Mailbox
import System

extension Command {
    static let cluster = Command(
        name: "cluster",
        summary: "make a cluster anew from the folder of one of its nodes",
        forms: ["rebuild"],
        details: """
            When the servers of NATS have lost a cluster, or came back with an earlier state of it,
            its nodes refuse to go on. Each has everything in its folder, up to some entry of the log.
            End all nodes, and run rebuild on the one that has most, as the user of the server, with its
            configuration. Servers that have something of the cluster lose it. Then they get what this
            folder has, and what only other nodes had is lost. No endpoint changes. Start this node
            afterwards; then the others, each with an empty folder and the same master key.

            If it is interrupted, the next start of this node does the rest, or run it again.
            """,
        options: ConfigurationSources.options(of: MigrateCommand.keys) + [.json],
        examples: [
            Example(
                "bellwire cluster rebuild --config /etc/bellwire/bellwire.conf",
                help: "begin anew with what this node has"),
            Example(
                "bellwire cluster rebuild --store tls://nats1.example.org --node push1",
                help: "the same, if no configuration names the servers"),
        ]
    ) { arguments in
        guard arguments.positional == ["rebuild"] else {
            throw CommandError.usage("use cluster rebuild", hint: "see bellwire cluster --help")
        }
        return try rebuild(
            try ConfigurationSources.read(arguments), Progress(Progress.Form(arguments)))
    }

    private static func rebuild(
        _ configuration: ServerConfiguration, _ progress: Progress
    ) throws -> ExitCode {
        let folder = configuration.state
        guard let remote = configuration.remoteStore else {
            throw CommandError.usage(
                "the servers of the cluster are not known", hint: "name them by --store")
        }
        guard let place = try StorePlace(in: folder) else {
            throw CommandError(
                message: "there is no store in \(folder)",
                hint: "name the node's state folder by --state")
        }
        let pending = PendingMove(in: folder)
        guard place.applied > 0 || pending != nil else {
            throw CommandError(
                message: "the store in \(folder) is on this machine alone",
                hint: "move it to the cluster by bellwire migrate")
        }
        try ClusterRebuilding(remote, configuration, progress).goOn(
            from: pending ?? .leaving, try StateFolder(folder))
        try MoveText.end(progress, "rebuilt", text(remote, upTo: place.applied))
        return .success
    }

    private static func text(_ remote: RemoteStore, upTo entry: Int64) -> String {
        let what = entry > 0 ? "everything up to entry \(entry) of the former log" : "everything"
        return """
            the cluster begins anew with what this folder has: \(what)
            what only other nodes had is lost
            start the node \(Printable.text(remote.node)); then the others, each with an empty folder \
            and the same master key

            """
    }
}
