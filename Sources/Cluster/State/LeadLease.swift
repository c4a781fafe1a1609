import System

/// How one node becomes the leading one, and stays that: a value, which asks no clock.
///
/// The lease is a message that the servers keep for some seconds. A node takes the lease by writing
/// it, which fails while the message is there. Renewing fails for a node that does not have the
/// lease.
struct LeadLease {
    enum Event {
        /// The lease was taken or renewed.
        case stored(Int64)
        /// Another node has the lease, or the lease has ended.
        case refused
        /// The servers did not say whether the lease was written.
        case unanswered
        /// The servers have this lease.
        case found(sequence: Int64, isOurs: Bool)
        case foundNone
        case unreadable
        case time
    }

    enum Action: Equatable {
        case take
        case renew(Int64)
        case look
    }

    /// How long the servers keep the lease, in seconds.
    static let life = 15
    /// How long a node leads after it has written the lease, in milliseconds. The servers begin to
    /// count at that time or later, never earlier.
    private static let use: Int64 = 12_000
    private static let renewInterval: Int64 = 4_000
    private static let retryInterval: Int64 = 1_000

    private enum State {
        case waiting(until: Int64)
        /// A request is under way, which was sent at this time.
        case asking(at: Int64)
        case looking
        case holding(Int64, until: Int64)
    }

    private var state = State.waiting(until: .min)
    private var ledUntil: Int64 = .min
    /// The number of the lease, if this node may have it.
    private(set) var sequence: Int64?

    func isLead(at now: Int64) -> Bool { now < ledUntil }

    mutating func handle(_ event: Event, at now: Int64) -> Action? {
        switch (event, state) {
        case (.stored(let sequence), .asking(let sent)):
            self.sequence = sequence
            ledUntil = sent + Self.use
            state = .holding(sequence, until: sent + Self.renewInterval)
            return nil
        case (.refused, .asking) where sequence == nil: return wait(now)
        case (.refused, .asking), (.unanswered, .asking): return look()
        case (.found(let sequence, true), .looking):
            // The stream may have no leader now: then the next renewal fails as well.
            self.sequence = sequence
            state = .holding(sequence, until: now + Self.retryInterval)
            return nil
        case (.found, .looking), (.foundNone, .looking):
            (sequence, ledUntil) = (nil, .min)
            return wait(now)
        case (.unreadable, .looking): return wait(now)
        case (.time, .waiting(let until)) where now >= until:
            // This node may still have a lease, so it looks before it takes a new one.
            if sequence != nil { return look() }
            state = .asking(at: now)
            return .take
        case (.time, .holding(let sequence, let until)) where now >= until:
            return renew(sequence, now)
        default: return nil
        }
    }

    /// Gives the lease back: this node does not lead any more.
    mutating func end() -> Int64? {
        (ledUntil, state) = (.min, .waiting(until: .max))
        return sequence
    }

    private mutating func wait(_ now: Int64) -> Action? {
        state = .waiting(until: now + Self.retryInterval)
        return nil
    }

    private mutating func look() -> Action? {
        state = .looking
        return .look
    }

    private mutating func renew(_ sequence: Int64, _ now: Int64) -> Action? {
        self.sequence = sequence
        state = .asking(at: now)
        return .renew(sequence)
    }
}

/// Takes the lease by which one node leads, renews it, and gives it back.
final class LeadElection: Sendable {
    private static let subject = "bw.cluster.lead"

    private let jetStream: JetStream
    private let lease = Lock(LeadLease())
    /// What this run of the node writes into the lease.
    private let mark: [UInt8]

    init(_ jetStream: JetStream, mark: String) {
        self.jetStream = jetStream
        self.mark = Array(mark.utf8)
    }

    func isLead(at now: Int64) -> Bool { lease.withLock { $0.isLead(at: now) } }

    func tick() { handle(.time) }

    /// Gives the lease back, so that another node need not wait for its end.
    func close() {
        guard let sequence = lease.withLock({ $0.end() }) else { return }
        // If it fails, the lease ends by itself.
        _ = jetStream.purge(Self.subject, before: sequence + 1, of: ClusterState.stream)
    }

    private func handle(_ event: LeadLease.Event) {
        switch lease.withLock({ $0.handle(event, at: Boot.milliseconds) }) {
        case .take: store(after: 0)
        case .renew(let sequence): store(after: sequence)
        case .look: look()
        case nil: break
        }
    }

    private func store(after sequence: Int64) {
        let fields = [
            ("Nats-TTL", "\(LeadLease.life)s"),
            ("Nats-Expected-Last-Subject-Sequence", String(sequence)),
        ]
        jetStream.publish(Self.subject, fields, mark) { [weak self] answer in
            switch answer {
            case .stored(let sequence), .repeated(let sequence): self?.handle(.stored(sequence))
            case .outdated: self?.handle(.refused)
            case .repeatedBatch, .refused, .unknown: self?.handle(.unanswered)
            }
        }
    }

    private func look() {
        jetStream.get(.newest([Self.subject], batch: 1), of: ClusterState.stream) {
            [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .lost: handle(.unreadable)
            case .messages(let messages):
                guard let found = messages.first else { return handle(.foundNone) }
                handle(.found(sequence: found.sequence, isOurs: found.message.body == mark))
            }
        }
    }
}
