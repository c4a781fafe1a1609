import Base
import Delivery
import Foundation
import System

@testable import Mailbox

/// A store that a test can make wait or fail.
// Unchecked: mutable state is used only under the lock.
final class GatedStore: MessageStore, @unchecked Sendable {
    enum Kind { case store, acknowledge, load, other }

    private let store: SQLiteStore
    private let lock = NSCondition()
    private var shut: Set<Kind> = []
    private var refused: Set<Kind> = []
    private var waiting: [(Kind, @Sendable () -> Void)] = []
    private var seen: [Kind: Int] = [:]
    private var isBroken = false
    private var settles = false

    init(_ store: SQLiteStore) { self.store = store }

    var index: StoreIndex { store.index }
    var clock: LastingClock { store.clock }
    var isUsable: Bool { lock.withLock { store.isUsable && !isBroken } }
    var isCurrent: Bool { true }
    /// What it refuses now would succeed within seconds.
    var isSettling: Bool {
        get { lock.withLock { settles } }
        set { lock.withLock { settles = newValue } }
    }
    var isLead: Bool { true }
    var unsafeServerCount: Int { 2 }
    func passOn(_ message: Message) { store.passOn(message) }

    /// Holds operations of these kinds until `open`.
    func shut(_ kinds: Kind...) { lock.withLock { shut.formUnion(kinds) } }

    /// Answers operations of these kinds with `.unavailable`.
    func refuse(_ kinds: Kind...) {
        lock.withLock {
            refused = Set(kinds)
            isBroken = !kinds.isEmpty
        }
    }

    /// The same, while nobody knows yet that the store fails.
    func doom(_ kinds: Kind...) { lock.withLock { refused = Set(kinds) } }

    /// Lets held operations go on. What comes meanwhile is held too, so that all stay in order.
    func open() {
        while let ready = takeWaiting() {
            for (_, body) in ready { body() }
        }
    }

    /// The held operations; nil, and nothing is held any more, if there are none.
    private func takeWaiting() -> [(Kind, @Sendable () -> Void)]? {
        lock.withLock {
            if waiting.isEmpty {
                shut = []
                return nil
            }
            defer { waiting = [] }
            return waiting
        }
    }

    /// Waits until this many operations of a kind have come since the start.
    func await(_ kind: Kind, _ count: Int) -> Bool {
        lock.withLock {
            let deadline = Date(timeIntervalSinceNow: 60)
            while seen[kind, default: 0] < count {
                guard lock.wait(until: deadline) else { return false }
            }
            return true
        }
    }

    func count(of kind: Kind) -> Int { lock.withLock { seen[kind, default: 0] } }

    func serve(at baseURL: String) throws(StoreFault) { try store.serve(at: baseURL) }

    func submit(_ operation: StoreOperation, ticket: UInt64, to sink: any StoreSink) {
        let kind: Kind =
            switch operation {
            case .store: .store
            case .acknowledge, .acknowledgeByID: .acknowledge
            default: .other
            }
        pass(kind) { [store] isRefused in
            guard isRefused else { return store.submit(operation, ticket: ticket, to: sink) }
            if case .store(let message) = operation {
                message.reservation.end()
            }
            sink.completed([CompletedOperation(ticket: ticket, outcome: .unavailable)])
        }
    }

    func remind(_ describe: @escaping @Sendable (Registration) -> String) {
        store.remind(describe)
    }

    func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink) {
        pass(.load) { [store] isRefused in
            guard isRefused else { return store.load(request, ticket: ticket, to: sink) }
            sink.loaded(.unavailable, ticket: ticket)
        }
    }

    private func pass(_ kind: Kind, _ body: @escaping @Sendable (_ isRefused: Bool) -> Void) {
        let isRefused: Bool? = lock.withLock {
            seen[kind, default: 0] += 1
            lock.broadcast()
            let isRefused = refused.contains(kind)
            guard shut.contains(kind) else { return isRefused }
            waiting.append((kind, { body(isRefused) }))
            return nil
        }
        if let isRefused { body(isRefused) }
    }
}
