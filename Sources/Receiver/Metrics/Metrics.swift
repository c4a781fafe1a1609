import Mailbox
import Outbound
import Synchronization
import System
import WebPush

/// What a push service counts, for whoever watches it. No name of a device, sender or endpoint is in
/// it. For all threads.
final class Metrics: Sendable {
    private let accepted = Atomic<Int>(0)
    /// Of what was repeated nothing goes on.
    private let repeated = Atomic<Int>(0)
    /// Answered like the others, and without effect.
    private let outranked = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let acknowledged = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    /// By the word of the refusal.
    private let refused = Lock<[String: Int]>([:])
    /// Attempts by how they ended.
    private let callbacks = Lock<[String: Int]>([:])

    private let undecryptable = Lock<[String: Int]>([:])

    func noteUndecryptable(_ reason: String) {
        undecryptable.withLock { $0[reason, default: 0] += 1 }
    }

    func noteAccepted() { accepted.add(1, ordering: .relaxed) }
    func noteRepeated() { repeated.add(1, ordering: .relaxed) }
    func noteOutranked() { outranked.add(1, ordering: .relaxed) }
    func noteDelivered() { delivered.add(1, ordering: .relaxed) }
    func noteAcknowledged() { acknowledged.add(1, ordering: .relaxed) }
    func noteOpened() { connections.add(1, ordering: .relaxed) }
    func noteClosed() { connections.subtract(1, ordering: .relaxed) }
    func note(_ refusal: PushRefusal) { refused.withLock { $0[refusal.word, default: 0] += 1 } }
    func note(_ attempt: Result<HTTPResponse, CallbackFailure>) {
        callbacks.withLock { $0[Self.word(for: attempt), default: 0] += 1 }
    }

    private static func word(for attempt: Result<HTTPResponse, CallbackFailure>) -> String {
        switch attempt {
        case .success(let response): "\(response.status / 100)xx"
        case .failure(.timedOut): "timeout"
        case .failure(.refused), .failure(.socket): "refused"
        case .failure(.failed), .failure(.closed): "error"
        }
    }

    /// The text format of Prometheus, version 0.0.4.
    func text(_ store: any MessageStore) -> String {
        var text = MetricsText()
        text.begin("bellwire_pushes_total", "counter", "Pushes by what came of them.")
        text.add([("result", "accepted")], accepted.load(ordering: .relaxed))
        text.add([("result", "repeated")], repeated.load(ordering: .relaxed))
        for (word, count) in refused.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.add([("result", word)], count)
        }
        text.begin(
            "bellwire_undecryptable_total", "counter", "Pushes that could not be decrypted.")
        for (word, count) in undecryptable.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.add([("reason", word)], count)
        }
        text.begin(
            "bellwire_outranked_total", "counter",
            "Pushes that would have changed what had come better protected.")
        text.add(outranked.load(ordering: .relaxed))
        text.begin("bellwire_deliveries_total", "counter", "Messages sent to user agents.")
        text.add(delivered.load(ordering: .relaxed))
        text.begin(
            "bellwire_acknowledgements_total", "counter", "Messages that user agents are done with."
        )
        text.add(acknowledged.load(ordering: .relaxed))
        text.begin("bellwire_user_agents", "gauge", "User agents that are connected.")
        text.add(connections.load(ordering: .relaxed))
        text.begin("bellwire_callbacks_total", "counter", "Attempts to call back, by their end.")
        for (word, count) in callbacks.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.add([("result", word)], count)
        }
        text.begin(
            "bellwire_devices", "gauge",
            "User agents that have registered something, and registrations.")
        text.add(store.index.deviceCount)
        text.begin("bellwire_endpoints", "gauge", "Subscriptions.")
        text.add(store.index.endpointCount)
        text.begin("bellwire_store_usable", "gauge", "Whether the store can be used.")
        text.add(store.isUsable ? 1 : 0)
        return text.text
    }
}

/// Writes families of values, each with its help.
private struct MetricsText {
    private(set) var text = ""
    private var name = ""

    mutating func begin(_ name: String, _ type: String, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Names and values of labels are words of ours, so nothing in them needs an escape.
    mutating func add(_ labels: [(String, String)] = [], _ value: Int) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    mutating func add(_ value: Int) { add([], value) }
}
