import API
import Base
import Configuration
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
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("store", place.rawValue)
            if place == .cluster, let servers { writer.member("servers", servers) }
            writer.member("remove", removes)
        }
        _ = try control.send("POST", Self.path, writer.bytes)
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
                throw CommandError(
                    message: "the server goes on moving by itself", exitCode: .unavailable)
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
            throw CommandError(
                message: "the server has ended, and is not started again",
                hint: "see its log, and start it: it finishes the move by itself",
                exitCode: .unavailable)
        case .silent:
            throw CommandError(
                message: "the server does not answer any more",
                hint: "see its log: it finishes the move by itself", exitCode: .unavailable)
        }
    }

    private func check(_ status: JSONNode) throws {
        guard let failure = status["error"]?.text else { return }
        throw CommandError(
            message: failure, hint: status["hint"]?.text, exitCode: .refused)
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
