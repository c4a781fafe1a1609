import Base
import Mailbox
import System

/// What a node tells of itself with each heartbeat. Nothing of it is secret: ids of master keys are
/// in everything that they sealed.
package struct NodeReport: Equatable, Sendable {
    /// The newest schema that the node can follow.
    package var schema: Int
    /// The ids of the master keys that the node has.
    package var keys: Set<UInt64>
    /// The id of the master key under which the node seals. Nil as long as it has no store.
    package var sealingKey: UInt64?
    /// The node waits for a copy of the store that has this entry of the log.
    package var wantedCopy: Int64?
    /// What the tables of its store contained after an entry of the log.
    var tables: TableDigests?

    package init(
        schema: Int, keys: Set<UInt64> = [], sealingKey: UInt64? = nil, wantedCopy: Int64? = nil
    ) {
        self.schema = schema
        self.keys = keys
        self.sealingKey = sealingKey
        self.wantedCopy = wantedCopy
    }

    /// Nil unless a node has written it so.
    init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(body).root, let schema = root["schema"]?.integer,
            let keys = root["keys"]?.texts
        else { return nil }
        self.init(
            schema: Int(schema), keys: Set(keys.compactMap { UInt64($0, radix: 16) }),
            sealingKey: root["sealing"]?.text.flatMap { UInt64($0, radix: 16) },
            wantedCopy: root["copy"]?.integer)
        if let entry = root["compared"]?.integer, let digests = root["tables"]?.texts {
            tables = TableDigests(entry: entry, digests: digests)
        }
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("schema", schema)
            writer.name("keys")
            writer.array { writer in
                for key in keys.sorted() { writer.string(String(key, radix: 16)) }
            }
            if let sealingKey { writer.member("sealing", String(sealingKey, radix: 16)) }
            if let wantedCopy { writer.member("copy", Int(wantedCopy)) }
            guard let tables else { return }
            writer.member("compared", Int(tables.entry))
            writer.name("tables")
            writer.array { writer in for digest in tables.digests { writer.string(digest) } }
        }
        return writer.bytes
    }
}

/// What the tables of a store contain after an entry of the log: the same in all stores.
struct TableDigests: Equatable, Sendable {
    let entry: Int64
    /// As `PinnedStore` reads them.
    let digests: [String]

    /// The first table in which they are not the same; nil if they cannot be compared, or all are.
    func difference(from other: TableDigests) -> StoreDifference? {
        let tables = PinnedStore.tables
        guard entry == other.entry, digests.count == other.digests.count,
            digests.count == tables.count,
            let index = digests.indices.first(where: { digests[$0] != other.digests[$0] })
        else { return nil }
        return StoreDifference(table: tables[index], entry: entry)
    }
}

/// Which nodes live, by the heartbeats that all of them send: a value, which asks no clock.
struct LivingNodes {
    /// In milliseconds.
    static let interval: Int64 = 2_000
    private static let patience: Int64 = 15_000

    private struct Heartbeat {
        var at: Int64
        /// Nil if the node says nothing of itself.
        var report: NodeReport?
    }

    private let own: String
    private var heard: [String: Heartbeat] = [:]

    init(own: String) { self.own = own }

    mutating func hear(_ node: String, _ report: NodeReport? = nil, at now: Int64) {
        heard[node] = Heartbeat(at: now, report: report)
    }

    /// The node has ended in order.
    mutating func leave(_ node: String) { heard[node] = nil }

    /// This node was cut off, and could not hear the others meanwhile.
    mutating func returned(at now: Int64) { for node in heard.keys { heard[node]?.at = now } }

    func living(at now: Int64) -> Set<String> {
        Set(heartbeats(within: Self.patience, at: now).keys)
    }

    /// What the living nodes tell of themselves.
    func reports(at now: Int64) -> [String: NodeReport?] {
        heartbeats(within: Self.patience, at: now).mapValues(\.report)
    }

    func others(heardWithin patience: Int64, at now: Int64) -> Set<String> {
        Set(heartbeats(within: patience, at: now).keys).subtracting([own])
    }

    private func heartbeats(within patience: Int64, at now: Int64) -> [String: Heartbeat] {
        heard.filter { now - $0.value.at < patience }
    }

    /// The nodes that were silent while the servers passed on this node's own heartbeats. Each is
    /// named once.
    @discardableResult
    mutating func takeGone() -> [String] {
        guard let now = heard[own]?.at else { return [] }
        let gone = heard.filter { now - $0.value.at >= Self.patience }.keys.sorted()
        for node in gone { heard[node] = nil }
        return gone
    }
}

/// Tells the other nodes that this one lives, and hears them.
final class Heartbeats: Sendable {
    private static let start = "bw.alive."
    /// The last heartbeat of a node that ends in order.
    private static let ending = Array("gone".utf8)

    private struct State {
        var nodes: LivingNodes
        var due: Int64 = .min
        /// What this node tells of itself.
        var report: (@Sendable () -> NodeReport)?
    }

    private let connection: NatsConnection
    private let state: Lock<State>
    private let subject: String
    private let subscription = Lock<NatsSubscription?>(nil)

    init(_ connection: NatsConnection, name: String) throws(NatsError) {
        self.connection = connection
        state = Lock(State(nodes: LivingNodes(own: name)))
        subject = Self.start + name.utf8.hexadecimal
        let subscription = try connection.subscribe(to: Self.start + "*") { [weak self] message in
            self?.hear(message)
        }
        self.subscription.withLock { $0 = subscription }
    }

    var livingNodes: Set<String> { state.withLock { $0.nodes.living(at: Boot.milliseconds) } }

    var reports: [String: NodeReport?] {
        state.withLock { $0.nodes.reports(at: Boot.milliseconds) }
    }

    func tell(_ report: @escaping @Sendable () -> NodeReport) {
        state.withLock { state in
            state.report = report
            state.due = .min
        }
    }

    func others(heardWithin patience: Int64) -> Set<String> {
        state.withLock { $0.nodes.others(heardWithin: patience, at: Boot.milliseconds) }
    }

    func connectionReturned() { state.withLock { $0.nodes.returned(at: Boot.milliseconds) } }

    func tick() {
        let now = Boot.milliseconds
        let (isDue, report) = state.withLock { state in
            // Names of nodes that have gone would add up.
            state.nodes.takeGone()
            guard now >= state.due else { return (false, state.report) }
            state.due = now + LivingNodes.interval
            return (true, state.report)
        }
        // The next heartbeat may succeed.
        if isDue { try? connection.publish(subject, [], report?().body ?? []) }
    }

    func stop() {
        subscription.withLock { $0 = nil }
        // If this fails, the other nodes count this one as gone some seconds later.
        try? connection.publish(subject, [], Self.ending)
    }

    private func hear(_ message: NatsMessage) {
        let digits = message.subject.dropFirst(Self.start.count)
        guard let bytes = Hexadecimal.decoded(digits),
            let name = String(validating: bytes, as: UTF8.self)
        else { return }
        let report = NodeReport(message.body)
        state.withLock { state in
            if message.body == Self.ending {
                state.nodes.leave(name)
            } else {
                state.nodes.hear(name, report, at: Boot.milliseconds)
            }
        }
    }
}
