import System

/// Tells the other nodes that this one lives, and hears them.
final class LifeWatch: Sendable {
    private static let start = "bw.alive."
    /// The last sign of a node that ends in order.
    private static let farewell = Array("gone".utf8)

    private struct State {
        var signs: LifeSigns
        var due: Int64 = .min
        /// What this node tells of itself.
        var terms: (@Sendable () -> NodeTerms)?
    }

    private let connection: NatsConnection
    private let state: Lock<State>
    private let subject: String
    private let subscription = Lock<NatsSubscription?>(nil)

    init(_ connection: NatsConnection, name: String) throws(NatsError) {
        self.connection = connection
        state = Lock(State(signs: LifeSigns(own: name)))
        subject = Self.start + Array(name.utf8).hexadecimal
        let subscription = try connection.subscribe(to: Self.start + "*") { [weak self] message in
            self?.hear(message)
        }
        self.subscription.withLock { $0 = subscription }
    }

    var livingNodes: Set<String> { state.withLock { $0.signs.living(at: Boot.milliseconds) } }

    var terms: [String: NodeTerms?] {
        state.withLock { $0.signs.terms(at: Boot.milliseconds) }
    }

    func tell(_ terms: @escaping @Sendable () -> NodeTerms) {
        state.withLock { state in
            state.terms = terms
            state.due = .min
        }
    }

    func others(heardWithin patience: Int64) -> Set<String> {
        state.withLock { $0.signs.others(heardWithin: patience, at: Boot.milliseconds) }
    }

    func connectionReturned() { state.withLock { $0.signs.returned(at: Boot.milliseconds) } }

    func tick() {
        let now = Boot.milliseconds
        let (isDue, terms) = state.withLock { state in
            // Names that nobody has any more would add up.
            state.signs.takeGone()
            guard now >= state.due else { return (false, state.terms) }
            state.due = now + LifeSigns.interval
            return (true, state.terms)
        }
        // The next one may succeed.
        if isDue { try? connection.publish(subject, [], terms?().body ?? []) }
    }

    func stop() {
        subscription.withLock { $0 = nil }
        // Without it, the others count the node as gone some seconds later.
        try? connection.publish(subject, [], Self.farewell)
    }

    private func hear(_ message: NatsMessage) {
        guard let name = Self.name(hexadecimal: message.subject.dropFirst(Self.start.count))
        else { return }
        let terms = NodeTerms(message.body)
        state.withLock { state in
            if message.body == Self.farewell {
                state.signs.leave(name)
            } else {
                state.signs.hear(name, terms, at: Boot.milliseconds)
            }
        }
    }

    private static func name(hexadecimal text: Substring) -> String? {
        let digits = Array(text)
        guard digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        guard bytes.count * 2 == digits.count else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
