import Base
import Crypto
import Delivery
import Glibc
import Mailbox
import Reactor
import WebPush

/// A store with as many devices, subscriptions and messages as a measurement needs.
final class MailboxBench: Sendable {
    struct Failed: Error { let what: String }

    static let bodyLength = 1_024
    /// How many messages all senders together have in flight.
    private static let outstanding = 8_192

    let store: SQLiteStore
    private let addresses: [Address]

    /// The key protects nothing and is always the same, so that another process can open the store.
    static func options(_ folder: String) throws -> SQLiteStore.Options {
        let key = [UInt8](repeating: 1, count: MasterKey.length)
        guard let master = try MasterKey(Secret(key.span)) else {
            preconditionFailure("the master key does not have \(MasterKey.length) bytes")
        }
        var options = SQLiteStore.Options(folder: folder, masterKey: master)
        options.onFault = { print("fault: \($0)") }
        return options
    }

    /// Opens a new store with a number of devices, each with one subscription.
    init(folder: String, endpoints: Int) throws {
        store = try SQLiteStore(try Self.options(folder))
        let counter = AnswerCounter()
        var mint = try EndpointMint(key: store.endpointKey)
        var random = RandomSupply()
        var addresses: [Address] = []
        for count in 0..<endpoints {
            let row = store.index.nextDevice()
            let userAgent = try mint.digest(of: try mint.make())
            let device = KnownUserAgent(row: row, userAgent: userAgent, credential: nil, created: 0)
            store.submit(.addDevice(device), ticket: 0, to: counter)
            let token = try mint.make()
            let address = Address(subscription: store.index.nextSubscription(), device: row)
            let subscription = Subscription(
                address: address, kind: .channel, channel: try ChannelID(from: &random),
                sender: .anyone, token: token, digest: try mint.digest(of: token), created: 0)
            store.submit(.register(subscription), ticket: 0, to: counter)
            addresses.append(address)
            try counter.wait { counter.answers + 20_000 > 2 * count }
        }
        try counter.wait { counter.answers == 2 * endpoints }
        guard counter.stored.load(ordering: .relaxed) == 2 * endpoints else {
            throw Failed(what: "the store refused endpoints")
        }
        self.addresses = addresses
    }

    /// Stores messages from several loops at once; returns wall clock and CPU seconds.
    func commit(
        _ count: Int, threads: Int, to devices: Int
    ) throws -> (wall: Double, cpu: Double) {
        let counter = AnswerCounter()
        let group = try LoopGroup(count: threads)
        try group.start(name: "sender")
        let (wall, cpu) = (Clock.nanoseconds, Clock.processCPU)
        for thread in 0..<threads {
            group.loops[thread].post { [self] in
                do {
                    try send(count / threads, devices, counter, threads)
                } catch {
                    print("error: \(error)")
                    counter.failed.add(count, ordering: .releasing)
                }
            }
        }
        try counter.wait { counter.answers >= count / threads * threads }
        let result = (
            wall: Double(Clock.nanoseconds - wall) / 1_000_000_000, cpu: Clock.processCPU - cpu
        )
        for loop in group.loops { loop.stop() }
        _ = group.join()
        let failed = counter.failed.load(ordering: .relaxed)
        guard failed == 0 else { throw Failed(what: "the store refused \(failed) messages") }
        return result
    }

    private func send(
        _ count: Int, _ devices: Int, _ counter: AnswerCounter, _ threads: Int
    ) throws {
        var random = RandomSupply()
        let body = [UInt8](repeating: 7, count: Self.bodyLength)
        for number in 0..<count {
            if number % 64 == 0 {
                try counter.wait { number * threads - Self.outstanding < counter.answers }
            }
            let address = addresses[Int(try random.word() % UInt64(devices))]
            let content = Message.Content(body: body, encoding: .aes128gcm, ttl: 86_400)
            var reservation = Reservation()
            guard store.index.reserve(content, for: address, in: &reservation) else {
                throw Failed(what: "no room")
            }
            let message = Message(
                id: try MessageID(from: &random), location: try LocationID(from: &random),
                address: address, sequence: store.index.nextSequence(), content: content,
                arrival: 0, expiry: store.clock.now.adding(seconds: 86_400),
                reservation: reservation)
            store.submit(.store(message), ticket: UInt64(number), to: counter)
        }
    }

    /// Reads what waits for all devices page by page; returns the number of messages.
    func read(devices: Int) throws -> (messages: Int, wall: Double) {
        let counter = AnswerCounter()
        let start = Clock.nanoseconds
        for address in addresses.prefix(devices) {
            store.load(.messages(PageRequest(device: address.device)), ticket: 0, to: counter)
        }
        try counter.wait { counter.pages.load(ordering: .acquiring) == devices }
        return (
            counter.read.load(ordering: .relaxed),
            Double(Clock.nanoseconds - start) / 1_000_000_000
        )
    }

    func end() { store.close() }
}
