import Base
import Crypto
import System

/// Reads regularly under which master key the cluster seals.
final class SealingStateReader: Sendable {
    static let identity = "bw.cluster.identity"
    static let resealing = "bw.cluster.resealing"
    /// In milliseconds.
    private static let interval: Int64 = 2_000
    /// A node that may have missed a new key serves no clients. This is shorter than the time after
    /// which the others count a silent node as gone.
    private static let patience: Int64 = 10_000

    private struct Reading {
        var state: SealingState?
        /// The number of the identity in its stream. A server may still answer with an older
        /// identity.
        var sequence: Int64 = 0
        var due: Int64 = .min
        var readAt: Int64 = .min
    }

    private let jetStream: JetStream
    private let reading = Lock(Reading())

    init(_ jetStream: JetStream) { self.jetStream = jetStream }

    /// Nil as long as the cluster has no identity, or it was not read.
    var state: SealingState? { reading.withLock { $0.state } }

    func isInformed(at now: Int64) -> Bool {
        let readAt = reading.withLock { $0.readAt }
        return readAt > .min && now - readAt <= Self.patience
    }

    func tick() {
        let now = Boot.milliseconds
        let isDue = reading.withLock { reading in
            guard now >= reading.due else { return false }
            reading.due = now + Self.interval
            return true
        }
        if isDue { read(at: now) }
    }

    /// This node has just written `state`.
    func note(_ state: SealingState, sequence: Int64) {
        reading.withLock { reading in
            guard sequence >= reading.sequence else { return }
            (reading.state, reading.sequence) = (state, sequence)
        }
    }

    private func read(at now: Int64) {
        let request = DirectGet.newest([Self.identity, Self.resealing], batch: 2)
        jetStream.get(request, of: ClusterState.stream) { [weak self] outcome in
            guard case .messages(let messages) = outcome else { return }
            self?.receive(messages, askedAt: now)
        }
    }

    private func receive(_ messages: [StreamMessage], askedAt: Int64) {
        let identity = messages.first { $0.subject == Self.identity }
        let resealing = messages.first { $0.subject == Self.resealing }
        reading.withLock { reading in
            guard identity?.sequence ?? 0 >= reading.sequence else { return }
            reading.readAt = max(reading.readAt, askedAt)
            guard let identity,
                let key = (try? ClusterState.identity(identity.message.body))?.sealingKey
            else { return }
            reading.sequence = identity.sequence
            reading.state = SealingState(
                key: key, resealing: resealing.flatMap { ResealingMark($0.message.body) })
        }
    }
}

/// Under which master key the cluster seals, and whether everything is being sealed again.
package struct SealingState: Equatable, Sendable {
    /// The id of the master key.
    package var key: UInt64
    /// The mark of the last change of the key; nil if there was none.
    var resealing: ResealingMark?

    /// Whether rows may still be sealed under a former key.
    package var isResealing: Bool { resealing.map { $0.key == key && $0.unopened == nil } ?? false }
    /// How many rows could not be unsealed when everything was sealed again; nil before the end of
    /// that.
    package var unopened: Int? { resealing?.key == key ? resealing?.unopened : nil }
}

/// Says that everything has to be sealed again, or that this was done.
///
///     id of the key 8 | rows that could not be unsealed 8, at the end only
struct ResealingMark: Equatable, Sendable {
    let key: UInt64
    var unopened: Int?

    init(key: UInt64, unopened: Int? = nil) {
        self.key = key
        self.unopened = unopened
    }

    init?(_ body: [UInt8]) {
        guard body.count == 8 || body.count == 16 else { return nil }
        key = body.span.word(at: 0)
        unopened = body.count == 16 ? Int(clamping: body.span.word(at: 8)) : nil
    }

    var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: key)
        if let unopened { bytes.append(bigEndian: UInt64(unopened)) }
        return bytes
    }
}
