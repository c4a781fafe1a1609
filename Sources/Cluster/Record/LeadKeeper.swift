import System

/// Keeps the lease of the node that leads, or waits for it.
final class LeadKeeper: Sendable {
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

    /// Gives the lease back, so that another need not wait for its end.
    func close() {
        guard let sequence = lease.withLock({ $0.end() }) else { return }
        // If it fails, the lease ends by itself.
        _ = jetStream.purge(Self.subject, before: sequence + 1, of: ClusterRecord.stream)
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
        jetStream.get(.newest([Self.subject], batch: 1), of: ClusterRecord.stream) {
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
