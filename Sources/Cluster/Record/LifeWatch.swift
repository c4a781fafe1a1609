import System

/// Tells the other nodes that this one lives, and hears them.
final class LifeWatch: Sendable {
    private static let start = "bw.alive."

    private struct State {
        var signs: LifeSigns
        var due: Int64 = .min
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

    func others(heardWithin patience: Int64) -> Set<String> {
        state.withLock { $0.signs.others(heardWithin: patience, at: Boot.milliseconds) }
    }

    func connectionReturned() { state.withLock { $0.signs.returned(at: Boot.milliseconds) } }

    func tick() {
        let now = Boot.milliseconds
        let isDue = state.withLock { state in
            // Names that nobody has any more would add up.
            state.signs.takeGone()
            guard now >= state.due else { return false }
            state.due = now + LifeSigns.interval
            return true
        }
        // The next one may succeed.
        if isDue { try? connection.publish(subject) }
    }

    func stop() { subscription.withLock { $0 = nil } }

    private func hear(_ message: NatsMessage) {
        guard let name = Self.name(hexadecimal: message.subject.dropFirst(Self.start.count))
        else { return }
        state.withLock { $0.signs.hear(name, at: Boot.milliseconds) }
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
