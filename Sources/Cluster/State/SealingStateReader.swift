import Base
import Crypto
import System

/// Knows under which master key the cluster seals, by reading it regularly.
final class SealingStateReader: Sendable {
    static let identity = "bw.cluster.identity"
    static let resealing = "bw.cluster.resealing"
    /// In milliseconds.
    private static let interval: Int64 = 2_000
    /// Shorter than the time after which the others count a silent node as gone: a node that may
    /// have missed a new key serves nobody.
    private static let patience: Int64 = 10_000

    private struct Reading {
        var state: SealingState?
        /// The one of the identity in the stream. A server may still give an older one.
        var sequence: Int64 = 0
        var due: Int64 = .min
        var readAt: Int64 = .min
    }

    private let jetStream: JetStream
    private let reading = Lock(Reading())

    init(_ jetStream: JetStream) { self.jetStream = jetStream }

    /// Nil as long as there is none, or it was not read.
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

    /// This node has just written it.
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

/// Under which master key the cluster seals.
package struct SealingState: Equatable, Sendable {
    /// Its id.
    package var key: UInt64
    /// What is sealed under another one has to be sealed again. Nil when that is done.
    var resealing: ResealingMark?

    /// What is written down until all of it is done.
    package var isResealing: Bool { resealing.map { $0.key == key && $0.unopened == nil } ?? false }
    /// Rows that could not be unsealed, when it ended with some.
    package var unopened: Int? { resealing?.key == key ? resealing?.unopened : nil }
}

/// That everything is to be sealed again.
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
