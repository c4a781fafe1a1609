import API
import Base
import Configuration
import Mailbox
import System

/// Asks the running server to move its store, and shows how far that is.
struct ServerMoving {
    private static let path = "/api/v1/move"
    private static let interval = Duration.milliseconds(100)

    private let control: ControlConnection
    private let progress: Progress

    init(_ control: ControlConnection, _ progress: Progress) {
        (self.control, self.progress) = (control, progress)
    }

    func run(
        to target: RemoteStore?, named servers: String?, removes: Bool
    ) throws -> ExitCode {
        let place: MoveStatus.Place = target == nil ? .sqlite : .cluster
        let wish = JSONWriter.object { writer in
            writer.member("store", place.rawValue)
            if place == .cluster, let servers { writer.member("servers", servers) }
            writer.member("remove", removes)
        }
        _ = try control.send("POST", Self.path, wish)
        let paused = try follow(to: place)
        try MoveText.end(
            progress, "moved", MoveText.moved(to: target, paused: paused), paused: paused)
        return .success
    }

    /// Until the server serves at the new place. Returns for how many milliseconds at most nothing
    /// could be stored.
    private func follow(to place: MoveStatus.Place) throws -> Int64 {
        let signals = SignalQueue()
        var (heardAt, pausedAt) = (Boot.milliseconds, Boot.milliseconds)
        var silence = MoveSilence(at: heardAt)
        while true {
            if let answer = try? control.send("GET", Self.path),
                let root = try? JSONDocument(answer).root
            {
                heardAt = Boot.milliseconds
                silence.heard(at: heardAt)
                try check(root)
                if root["step"] == nil, root["store"]?.text == place.rawValue {
                    progress.advance(MoveStatus.Step.finishing.rawValue, to: 1, of: 1)
                    return heardAt - pausedAt
                }
                // Without an answer for a while, it may have begun right after the last one.
                pausedAt = heardAt - (root["paused_ms"]?.integer ?? 0)
                show(root)
            } else {
                try check(silence.verdict(isUsed: isUsed, at: Boot.milliseconds))
            }
            guard signals.next(within: Self.interval) != .end else {
                throw CommandError.unavailable("the server goes on moving by itself")
            }
        }
    }

    /// Nil if that cannot be seen.
    private var isUsed: Bool? {
        StateFolder.canBeAsked(control.folder) ? StateFolder.isInUse(control.folder) : nil
    }

    /// Whether the store has moved is not known then.
    private func check(_ verdict: MoveSilence.Verdict) throws {
        switch verdict {
        case .wait: return
        case .ended:
            throw CommandError.unavailable(
                "the server has ended, and is not started again",
                hint: "see its log, and start it: it finishes the move by itself")
        case .silent:
            throw CommandError.unavailable(
                "the server does not answer any more",
                hint: "see its log: it finishes the move by itself")
        }
    }

    private func check(_ status: JSONNode) throws {
        guard let failure = status["error"]?.text else { return }
        throw CommandError.refused(failure, hint: status["hint"]?.text)
    }

    private func show(_ status: JSONNode) {
        guard let step = status["step"]?.text.flatMap(MoveStatus.Step.init) else { return }
        let (done, total) = (status["done"]?.integer ?? 0, status["total"]?.integer ?? 0)
        progress.advance(step.rawValue, to: Int(done), of: Int(total))
    }
}

/// What it means that a server which moves its store does not answer: a value, which asks no clock.
struct MoveSilence {
    enum Verdict: Equatable {
        case wait
        /// No server uses the folder, and nothing has started one.
        case ended
        /// One uses it, and says nothing.
        case silent
    }

    /// In milliseconds. Whoever manages the server starts it again within some seconds.
    private static let restart: Int64 = 20_000
    /// A large store takes long to be checked.
    private static let patience: Int64 = 120_000

    private var heardAt: Int64
    /// When the folder was seen in use.
    private var usedAt: Int64

    init(at now: Int64) { (heardAt, usedAt) = (now, now) }

    mutating func heard(at now: Int64) { (heardAt, usedAt) = (now, now) }

    /// There was no answer now. `isUsed`: by a process; nil if that cannot be seen.
    mutating func verdict(isUsed: Bool?, at now: Int64) -> Verdict {
        if isUsed ?? true { usedAt = now }
        if now - usedAt > Self.restart { return .ended }
        return now - heardAt > Self.patience ? .silent : .wait
    }
}

extension Command {
    static let cluster = Command(
        name: "cluster",
        summary: "make a cluster anew from the folder of one of its nodes",
        verbs: [Verb("rebuild", "", rebuildCluster)],
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
    )

    private static func rebuildCluster(_ arguments: Arguments) throws -> ExitCode {
        try rebuild(try ConfigurationSources.read(arguments), Progress(Progress.Form(arguments)))
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
