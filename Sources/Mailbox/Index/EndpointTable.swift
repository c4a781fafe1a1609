import Base
import Delivery
import System
import WebPush

/// All endpoints, for any number of threads at once.
///
/// Each takes 32 bytes, without a pointer. They are in 64 parts with one lock each, so a look-up,
/// or even the growth of a part, hardly delays other threads.
final class EndpointTable: Sendable {
    private static let partCount = 64

    struct Entry: FlatEntry {
        static let vacant = Entry(
            key: 0, keyHash: 0, keyHashAndFlags: 0, subscription: 0, device: 0)

        /// The first word of the SHA-256 of the token.
        let key: UInt64
        let keyHash: UInt64
        /// The kind in the lowest two bits, the sender rule in the next two.
        let keyHashAndFlags: UInt64
        let subscription: UInt32
        let device: UInt32
    }

    // Unsafe: the pointer never changes, and each part has its own lock.
    nonisolated(unsafe) private let parts: UnsafeMutablePointer<Lock<FlatTable<Entry>>>

    init(expecting count: Int = 0) {
        parts = .allocate(capacity: Self.partCount)
        // A part's share varies by a few times its square root.
        let share = count / Self.partCount + count / Self.partCount / 32
        for index in 0..<Self.partCount {
            (parts + index).initialize(to: Lock(FlatTable(expecting: share)))
        }
    }

    deinit {
        parts.deinitialize(count: Self.partCount)
        parts.deallocate()
    }

    var count: Int {
        (0..<Self.partCount).reduce(0) { $0 + parts[$1].withLock { $0.count } }
    }

    subscript(digest: Digest) -> Endpoint? {
        let key = Self.key(of: digest)
        return parts[Self.part(key)].withLock { $0[key] }.map(Endpoint.init)
    }

    /// False if another digest starts with the same word: the caller has to make a new token.
    func insert(_ endpoint: Endpoint, for digest: Digest) -> Bool {
        let entry = Entry(endpoint, key: Self.key(of: digest))
        return parts[Self.part(entry.key)].withLock { table in
            guard table[entry.key] == nil else { return false }
            table.set(entry)
            return true
        }
    }

    /// Does nothing if the endpoint no longer exists.
    func change(_ digest: Digest, _ body: (Endpoint) -> Endpoint) {
        let key = Self.key(of: digest)
        parts[Self.part(key)].withLock { table in
            guard let entry = table[key] else { return }
            table.set(Entry(body(Endpoint(entry)), key: key))
        }
    }

    /// Returns the removed endpoint.
    func remove(_ digest: Digest) -> Endpoint? {
        let key = Self.key(of: digest)
        return parts[Self.part(key)].withLock { $0.remove(key) }.map(Endpoint.init)
    }

    private static func key(of digest: Digest) -> UInt64 { max(1, digest.words.0) }

    private static func part(_ key: UInt64) -> Int { Int(key & UInt64(partCount - 1)) }
}

extension EndpointTable.Entry {
    fileprivate init(_ endpoint: Endpoint, key: UInt64) {
        let (hash, rule): (KeyHash?, UInt64) =
            switch endpoint.sender {
            case .anyone: (nil, 0)
            case .key(let hash): (hash, 1)
            case .firstKey: (nil, 2)
            }
        self.init(
            key: key, keyHash: hash?.high ?? 0,
            keyHashAndFlags: (hash?.low ?? 0) | rule << 2 | UInt64(endpoint.kind.rawValue),
            subscription: endpoint.address.subscription, device: endpoint.address.device)
    }
}

extension Endpoint {
    fileprivate init(_ entry: EndpointTable.Entry) {
        guard let kind = SubscriptionKind(rawValue: UInt8(entry.keyHashAndFlags & 3)) else {
            preconditionFailure("the entry has an unknown kind")
        }
        let sender: SenderRule =
            switch entry.keyHashAndFlags >> 2 & 3 {
            case 0: .anyone
            case 1: .key(KeyHash(high: entry.keyHash, low: entry.keyHashAndFlags))
            default: .firstKey
            }
        self.init(
            address: Address(subscription: entry.subscription, device: entry.device), kind: kind,
            sender: sender)
    }
}

/// Recently read registrations, so that a push does not wait for the disk. They are kept whole,
/// because a push needs most of one.
package final class RegistrationCache: Sendable {
    /// A shared registration: passing it on costs one reference count.
    package final class Entry: Sendable {
        package let registration: Registration
        package let push: EnginePush

        package init(_ registration: Registration) {
            self.registration = registration
            push = registration.enginePush
        }
    }

    private let limit: Int
    /// The limit in bytes of the stored records; in memory they take several times that.
    private let byteLimit: Int

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// The size of everything added since the cache was last empty.
        var bytes = 0
        /// Counts removals: a registration read before a removal is not added.
        var generation = 0
    }

    private let state = Lock(State())

    init(limit: Int = 16_384, byteLimit: Int = 16 << 20) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    package subscript(device: UInt32) -> Entry? {
        state.withLock { $0.entries[device] }
    }

    var generation: Int { state.withLock { $0.generation } }

    /// Adds a registration that was read after `generation` was taken.
    func put(_ registration: Registration, size: Int, readIn generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            // Emptying is cheaper than keeping an order that is hardly ever needed.
            if state.entries.count >= limit || state.bytes + size > byteLimit {
                state.entries = [:]
                state.bytes = 0
            }
            state.bytes += size
            state.entries[registration.device] = Entry(registration)
        }
    }

    func forget(_ device: UInt32) {
        state.withLock { state in
            state.entries[device] = nil
            state.generation += 1
        }
    }
}
