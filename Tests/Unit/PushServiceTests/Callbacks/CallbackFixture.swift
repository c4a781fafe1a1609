import Base
import Configuration
import Crypto
import Delivery
import Foundation
import HookSupport
import Mailbox
import Outbound
import System
import TestSupport
import WebPush

@testable import PushService

/// The store's clock, with time added to it.
// Unchecked: it is used only under the lock.
final class LaterClock: @unchecked Sendable {
    private let lock = NSLock()
    private var added: Int64 = 0

    func add(seconds: Int64) { lock.withLock { added += seconds * 1_000 } }
    func reading() -> ClockReading {
        var reading = ClockReading.now()
        reading.sinceBoot += lock.withLock { added }
        return reading
    }
}

/// The callback service and a store of its own, without a server.
final class CallbackFixture {
    let folder: TemporaryFolder
    let clock = LaterClock()
    private let key: MasterKey
    private let settings: CallbackSettings
    private var running: (store: SQLiteStore, service: CallbackService?)?
    private var context: ServiceState?
    private let box = OutcomeBox()
    private var random = RandomSupply()

    init(_ change: (inout CallbackSettings) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        key = try MasterKey.generate()
        var settings = CallbackSettings(userAgent: "bellwire/test")
        change(&settings)
        self.settings = settings
        try start()
    }

    deinit { stop() }

    func start() throws {
        let store = try open()
        var pushSettings = PushServiceSettings(
            baseURL: try BaseURL("https://push.example"), version: "test")
        pushSettings.callbacks = settings
        let push = ServiceState(
            store: store, endpointKey: store.endpointKey, settings: pushSettings)
        var surroundings = CallbackService.Surroundings(clock: store.clock)
        let storeClock = store.clock
        surroundings.now = { [clock] in storeClock.time(at: clock.reading()) }
        let service = try CallbackService(for: push, surroundings) { _ in "{}" }
        running = (store, service)
        context = push
        try service.start()
    }

    /// Changes the settings while the service runs.
    func use(_ change: (inout CallbackSettings) -> Void) throws {
        guard let context else { throw Stopped() }
        var settings = context.settings
        change(&settings.callbacks)
        context.use(settings)
    }

    /// The store, while no callbacks are sent.
    @discardableResult
    func open() throws -> SQLiteStore {
        var options = SQLiteStore.Options(folder: folder.file("state"), masterKey: key)
        options.reading = { [clock] in clock.reading() }
        let store = try SQLiteStore(options)
        running = (store, nil)
        return store
    }

    func stop() {
        running?.service?.end()
        running?.store.close()
        running = nil
        context = nil
    }

    struct Stopped: Error {}

    @discardableResult
    func run(_ operation: CallbackOperation) throws -> StoreOutcome {
        guard let running else { throw Stopped() }
        return try box.run(.callback(operation), on: running.store)
    }

    /// Moves the clock forward and wakes all couriers.
    func later(seconds: Int64) {
        clock.add(seconds: seconds)
        running?.service?.wakeAll()
    }

    func record(_ row: UInt32) throws -> CallbackRecord? {
        guard let running else { throw Stopped() }
        return try box.record(row, of: running.store)
    }

    func event(_ event: CallbackEvent) throws -> OutboxEvent {
        event.entry(
            try MessageID(from: &random), registration: "r1", account: "a1", at: 1_795_281_909_000)
    }

    func message(_ text: String) throws -> OutboxEvent {
        try event(
            .message(
                Message(
                    id: MessageID(high: 1, low: 2), location: LocationID(Bits128(high: 1, low: 2)),
                    address: Address(subscription: 1, device: 1), sequence: 1,
                    content: MessageContent(
                        body: Array(text.utf8), headers: PayloadHeaders(encoding: .aes128gcm),
                        urgency: .high, ttl: 60),
                    arrival: 1_795_281_909_000, expiry: StoreTime(milliseconds: 60_000))))
    }

    /// Adds a callback by the control socket, confirmed or not.
    @discardableResult
    func make(_ row: UInt32, _ url: String, user: UInt32? = getuid()) throws -> Secret {
        let secret = try WebhookSecret.make()
        try run(
            .make(
                Callback(
                    row: row, url: url, userID: user,
                    secrets: [Callback.SigningSecret(secret)]),
                introduction: try event(.created(registerDevice: #"{"token_type":10}"#))))
        return secret
    }
}

/// Waits for the store.
// Unchecked: it is used only under the lock of the condition.
private final class OutcomeBox: StoreSink, @unchecked Sendable {
    private let condition = NSCondition()
    private var outcomes: [UInt64: StoreOutcome] = [:]
    private var answers: [UInt64: LoadAnswer] = [:]
    private var ticket: UInt64 = 0

    struct Missing: Error {}

    func run(_ operation: StoreOperation, on store: SQLiteStore) throws -> StoreOutcome {
        ticket += 1
        store.submit(operation, ticket: ticket, to: self)
        return try wait { outcomes.removeValue(forKey: ticket) }
    }

    func record(_ row: UInt32, of store: SQLiteStore) throws -> CallbackRecord? {
        ticket += 1
        store.load(.callback(row), ticket: ticket, to: self)
        guard case .callback(let record) = try wait({ answers.removeValue(forKey: ticket) }) else {
            throw Missing()
        }
        return record
    }

    private func wait<Value>(_ body: () -> Value?) throws -> Value {
        try condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 60)
            while true {
                if let value = body() { return value }
                guard condition.wait(until: deadline) else { throw Missing() }
            }
        }
    }

    func completed(_ completions: [CompletedOperation]) {
        condition.withLock {
            for completion in completions { outcomes[completion.ticket] = completion.outcome }
            condition.broadcast()
        }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        condition.withLock {
            answers[ticket] = answer
            condition.broadcast()
        }
    }
}
