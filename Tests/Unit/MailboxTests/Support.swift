import Base
import Crypto
import Delivery
import Foundation
import System
import TestSupport
import Testing
import WebPush

import enum Notifications.TrustLevel

@testable import Mailbox

/// Collects answers for a test that waits for them.
// Unchecked: all state is only touched under the condition's lock.
final class AnswerBox: StoreSink, @unchecked Sendable {
    struct Missing: Error {}

    private let condition = NSCondition()
    private var outcomes: [UInt64: StoreOutcome] = [:]
    private var answers: [UInt64: LoadAnswer] = [:]
    private var batchSizes: [Int] = []

    var batches: [Int] { condition.withLock { batchSizes } }

    func completed(_ completions: [CompletedOperation]) {
        condition.withLock {
            for completion in completions { outcomes[completion.ticket] = completion.outcome }
            batchSizes.append(completions.count)
            condition.broadcast()
        }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        condition.withLock {
            answers[ticket] = answer
            condition.broadcast()
        }
    }

    func outcome(_ ticket: UInt64) throws -> StoreOutcome {
        try wait { outcomes.removeValue(forKey: ticket) }
    }

    func answer(_ ticket: UInt64) throws -> LoadAnswer {
        try wait { answers.removeValue(forKey: ticket) }
    }

    private func wait<Value>(_ body: () -> Value?) throws -> Value {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            if let value = body() { return value }
            guard condition.wait(until: deadline) else { throw Missing() }
        }
    }
}

/// The clocks of a machine, set by a test.
// Unchecked: the reading is only touched under the lock.
final class TestClocks: @unchecked Sendable {
    private let lock = NSLock()
    private var reading = ClockReading(
        boot: [UInt8](repeating: 1, count: 16), sinceBoot: 50_000, wall: 1_700_000_000_000)

    var now: ClockReading { lock.withLock { reading } }

    func set(_ change: (inout ClockReading) -> Void) { lock.withLock { change(&reading) } }

    /// Lets time pass.
    func advance(seconds: Int64) {
        set {
            $0.sinceBoot += seconds * 1_000
            $0.wall += seconds * 1_000
        }
    }
}

/// A store in a folder of its own; one call submits an operation and waits for its answer.
final class TestStore {
    let folder: TemporaryFolder
    let clocks = TestClocks()
    let box = AnswerBox()
    var options: SQLiteStore.Options
    private var current: SQLiteStore?
    private var ticket: UInt64 = 0
    var random = RandomSupply()

    init(_ change: (inout SQLiteStore.Options) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        var options = SQLiteStore.Options(
            folder: folder.file("state"), masterKey: try MasterKey.generate())
        let clocks = clocks
        options.reading = { clocks.now }
        change(&options)
        let isFollowed = Self.areFollowed && options.log == nil
        let log = MemoryLog()
        if isFollowed {
            let origin = try StoreOrigin(wall: clocks.now.wall, masterKey: options.masterKey)
            options.log = log.seat("followed", origin)
        }
        self.options = options
        current = try SQLiteStore(options)
        follower = isFollowed ? try FollowingStore(options, log, folder.file("follower")) : nil
    }

    deinit {
        close()
        follower?.compare(with: path)
    }

    /// Each store has another one that follows it.
    static let areFollowed =
        ProcessInfo.processInfo.environment["BELLWIRE_FOLLOWED_STORES"] != nil
    private let follower: FollowingStore?

    var store: SQLiteStore {
        guard let current else { preconditionFailure("the store is closed") }
        return current
    }

    var path: String { folder.file("state") }

    /// Closes the store, changes its files, and opens it again.
    func restart(_ meanwhile: () throws -> Void = {}) throws {
        close()
        try meanwhile()
        current = try SQLiteStore(options)
    }

    /// The folder is free when this returns.
    func close() {
        current?.close()
        current = nil
    }

    func run(_ operation: StoreOperation) throws -> StoreOutcome {
        try box.outcome(submit(operation))
    }

    func submit(_ operation: StoreOperation) -> UInt64 {
        ticket += 1
        store.submit(operation, ticket: ticket, to: box)
        return ticket
    }

    func load(_ request: LoadRequest) throws -> LoadAnswer {
        ticket += 1
        store.load(request, ticket: ticket, to: box)
        return try box.answer(ticket)
    }
}

extension TestStore {
    struct Unexpected: Error { let outcome: StoreOutcome }

    func digest() throws -> Digest {
        var hash = try SHA256()
        var bytes: [UInt8] = []
        try random.append(32, to: &bytes)
        return Digest(try hash.digest(of: bytes.span))
    }

    func addDevice(
        credential: UInt32? = nil, stranger: StrangerNumber = .local, userAgent: Digest? = nil
    ) throws -> UInt32 {
        let device = KnownUserAgent(
            row: store.index.nextDevice(), userAgent: try userAgent ?? digest(),
            credential: credential, stranger: stranger, created: 1)
        try expectDone(.addDevice(device))
        return device.row
    }

    func subscription(
        _ device: UInt32, sender: SenderRule = .anyone, kind: SubscriptionKind = .channel
    ) throws -> Subscription {
        var mint = try EndpointMint(key: store.endpointKey)
        let token = try mint.make()
        return Subscription(
            address: Address(subscription: store.index.nextSubscription(), device: device),
            kind: kind, channel: try ChannelID(from: &random), sender: sender, token: token,
            digest: try mint.digest(of: token), created: 2)
    }

    func register(_ device: UInt32, sender: SenderRule = .anyone) throws -> Subscription {
        let subscription = try subscription(device, sender: sender)
        try expectDone(.register(subscription))
        return subscription
    }

    func message(
        _ address: Address, _ body: String = "body", topic: String? = nil, ttl: UInt32 = 3_600,
        level: TrustLevel? = nil, mark: RepetitionMark? = nil
    ) throws -> Message {
        let content = MessageContent(
            body: Array(body.utf8), headers: PayloadHeaders(encoding: .aes128gcm),
            topic: topic.flatMap(Topic.init), urgency: .high, ttl: ttl)
        var reservation = Reservation()
        if let mark { _ = store.index.reserve(mark, for: address.device, in: &reservation) }
        guard store.index.reserve(content, for: address, in: &reservation) else {
            throw Unexpected(outcome: .unavailable)
        }
        var mint = try EndpointMint(key: store.endpointKey)
        return Message(
            id: try MessageID(from: &random), location: try mint.location(for: address.device),
            address: address, sequence: store.index.nextSequence(),
            content: content, level: level, arrival: 3,
            expiry: store.clock.time(at: clocks.now).adding(seconds: ttl),
            reservation: reservation)
    }

    /// How a push with this mark would be answered now.
    func answer(_ mark: RepetitionMark, _ device: UInt32) -> RepetitionAnswer {
        var reservation = Reservation()
        return store.index.reserve(mark, for: device, in: &reservation)
    }

    /// Whether a message would be accepted now.
    func hasRoom(_ address: Address) -> Bool {
        store.index.hasRoom(for: MessageContent(body: [1, 2], ttl: 60), address)
    }

    /// Reserves room for a message and stores it.
    @discardableResult
    func keep(
        _ address: Address, _ body: String = "body", topic: String? = nil, ttl: UInt32 = 3_600
    ) throws -> Message {
        let message = try message(address, body, topic: topic, ttl: ttl)
        let outcome = try run(.store(message))
        guard case .stored = outcome else { throw Unexpected(outcome: outcome) }
        return message
    }

    func expectDone(_ operation: StoreOperation) throws {
        let outcome = try run(operation)
        guard outcome == .done else { throw Unexpected(outcome: outcome) }
    }

    /// All messages that wait for a device, read page by page.
    func waiting(_ device: UInt32) throws -> [Message] {
        var messages: [Message] = []
        var request: PageRequest? = PageRequest(device: device)
        while let next = request {
            guard case .page(let page) = try load(.messages(next)) else {
                throw AnswerBox.Missing()
            }
            messages += page.messages
            request = page.next
        }
        return messages
    }

    func bodies(_ device: UInt32) throws -> [String] {
        try waiting(device).map { String(decoding: $0.content.body, as: UTF8.self) }
    }
}

extension Trait where Self == ConditionTrait {
    /// The test is about a store that no other one follows.
    static func alone(_ reason: Comment) -> Self {
        .disabled(if: TestStore.areFollowed, reason)
    }
}
