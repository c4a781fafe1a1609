import CNats
import System

/// A connection to the servers of a cluster. libnats keeps it, on threads of its own, and goes to
/// another server when one is lost.
///
/// Any thread may use it. Answers and messages come on a thread of libnats, one after the other.
// Unchecked: libnats locks what the handle leads to; the rest is behind locks.
final class NatsConnection: @unchecked Sendable {
    enum Answer: Sendable {
        case message(NatsMessage)
        /// It is unknown whether the request was carried out.
        case lost
    }

    /// True if no further answer belongs to the request.
    typealias AnswerHandler = @Sendable (Answer) -> Bool

    private let handle: OpaquePointer
    private let events = ConnectionEvents()
    private let requests = Lock(RequestTable())
    private let closed = Lock(false)
    private let inbox: String
    private let isUp = Lock(true)
    private let follower = Subscriber<Void, Void>()
    private let subscription = Lock<NatsSubscription?>(nil)

    /// Connects, or fails after some seconds.
    init(_ settings: ClusterSettings) throws(NatsError) {
        let options = try ConnectionOptions(settings)
        try events.install(in: options)
        var handle: OpaquePointer?
        try ensure(natsConnection_Connect(&handle, options.handle), "natsConnection_Connect")
        guard let handle else { throw NatsError("natsConnection_Connect", NATS_NO_MEMORY) }
        self.handle = handle
        inbox = try Self.newInbox()
        events.set(self)
        let answers = try NatsSubscription(of: handle, to: inbox + ".*") { [weak self] message in
            self?.received(message)
        }
        subscription.withLock { $0 = answers }
    }

    deinit {
        events.end()
        subscription.withLock { $0 = nil }
        natsConnection_Destroy(handle)
    }

    /// `returned` is called whenever the connection was lost and is there again.
    func follow(_ returned: @escaping @Sendable () -> Void) { follower.set { returned() } }

    /// All requests are lost, and no message comes any more.
    func close() {
        isUp.withLock { $0 = false }
        subscription.withLock { $0 = nil }
        natsConnection_Close(handle)
        lose(requests.withLock { $0.close() })
    }

    /// Whether the connection has ended for good. libnats is not asked, because its answer would
    /// wait for a long message that is being sent.
    var isClosed: Bool { closed.withLock { $0 } }

    var isConnected: Bool { isUp.withLock { $0 } }

    /// The longest message that the servers take.
    var longest: Int { Int(natsConnection_GetMaxPayload(handle)) }

    /// Sends a message to all who have subscribed. It may get lost.
    func publish(
        _ subject: String, _ fields: [(String, String)] = [], _ body: [UInt8] = []
    ) throws(NatsError) {
        try send(subject, replyTo: nil, fields, body)
    }

    /// Sends a request. The handler gets at least one answer, or `.lost`, and returns true for the
    /// last one that it wants.
    func request(
        _ subject: String, _ fields: [(String, String)] = [], _ body: [UInt8] = [],
        before deadline: Int64, _ handler: @escaping AnswerHandler
    ) {
        let entry = RequestTable.Entry(handler: handler, deadline: deadline)
        let number = requests.withLock { $0.add(entry) }
        do throws(NatsError) {
            try send(subject, replyTo: "\(inbox).\(number)", fields, body)
        } catch { lose(requests.withLock { $0.remove(number) }.map { [$0] } ?? []) }
    }

    /// Gives up the requests whose time is over.
    func giveUp(at now: Int64) { lose(requests.withLock { $0.removeExpired(at: now) }) }

    /// `handler` gets what others publish to such subjects, until the subscription is dropped.
    func subscribe(
        to subject: String, _ handler: @escaping @Sendable (NatsMessage) -> Void
    ) throws(NatsError) -> NatsSubscription {
        try NatsSubscription(of: handle, to: subject, handler)
    }

    private func send(
        _ subject: String, replyTo inbox: String?, _ fields: [(String, String)], _ body: [UInt8]
    ) throws(NatsError) {
        // Without a connection libnats would keep the message, and send it when its answer is too
        // late.
        guard isConnected else {
            throw NatsError("natsConnection_Status", NATS_CONNECTION_DISCONNECTED)
        }
        let message = try OutgoingMessage(subject, replyTo: inbox, fields, body)
        try ensure(natsConnection_PublishMsg(handle, message.handle), "natsConnection_PublishMsg")
    }

    private func received(_ message: NatsMessage) {
        guard let number = UInt64(message.subject.dropFirst(inbox.count + 1)),
            let entry = requests.withLock({ $0.remove(number) })
        else { return }
        if entry.handler(.message(message)) { return }
        if !requests.withLock({ $0.putBack(entry, number) }) { lose([entry]) }
    }

    private func lose(_ entries: [RequestTable.Entry]) {
        for entry in entries { _ = entry.handler(.lost) }
    }

    private static func newInbox() throws(NatsError) -> String {
        var inbox: UnsafeMutablePointer<CChar>?
        try ensure(natsInbox_Create(&inbox), "natsInbox_Create")
        defer { natsInbox_Destroy(inbox) }
        return inbox.map { String(cString: $0) } ?? ""
    }

    /// libnats gives the connection up after some errors, such as credentials that are refused twice.
    fileprivate func wasClosed() {
        closed.withLock { $0 = true }
        wasLost()
    }

    fileprivate func wasLost() {
        isUp.withLock { $0 = false }
        lose(requests.withLock { $0.removeAll() })
    }

    fileprivate func hasReturned() {
        isUp.withLock { $0 = true }
        follower.call(())
    }
}

/// Passes on what libnats says of the connection.
///
/// libnats may call at any time, also after the connection has ended, so it gets a number and no
/// pointer.
private struct ConnectionEvents {
    private struct Connections {
        struct Receiver {
            weak var value: NatsConnection?
        }

        var receivers: [Int: Receiver] = [:]
        var last = 0
    }

    private static let connections = Lock(Connections())

    private let number = Self.connections.withLock { connections in
        connections.last += 1
        return connections.last
    }

    func set(_ connection: NatsConnection) {
        Self.connections.withLock { $0.receivers[number] = Connections.Receiver(value: connection) }
    }

    func end() { _ = Self.connections.withLock { $0.receivers.removeValue(forKey: number) } }

    func install(in options: ConnectionOptions) throws(NatsError) {
        let context = UnsafeMutableRawPointer(bitPattern: number)
        try ensure(
            natsOptions_SetDisconnectedCB(
                options.handle, { _, context in ConnectionEvents.of(context)?.wasLost() }, context),
            "natsOptions_SetDisconnectedCB")
        try ensure(
            natsOptions_SetReconnectedCB(
                options.handle, { _, context in ConnectionEvents.of(context)?.hasReturned() },
                context),
            "natsOptions_SetReconnectedCB")
        try ensure(
            natsOptions_SetClosedCB(
                options.handle, { _, context in ConnectionEvents.of(context)?.wasClosed() },
                context),
            "natsOptions_SetClosedCB")
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> NatsConnection? {
        connections.withLock { $0.receivers[Int(bitPattern: context)]?.value }
    }
}

/// Requests that wait for answers, by the number in the subject of the answer. It is a value that
/// asks no clock.
struct RequestTable {
    struct Entry: Sendable {
        let handler: NatsConnection.AnswerHandler
        /// Milliseconds since boot.
        let deadline: Int64
    }

    private var entries: [UInt64: Entry] = [:]
    private var last: UInt64 = 0
    private var isClosed = false

    mutating func add(_ entry: Entry) -> UInt64 {
        last += 1
        entries[last] = entry
        return last
    }

    /// Another answer to the same request may follow. While an answer is handled, its entry is out
    /// of the table, so that the request is not given up meanwhile. False if no answer can come any
    /// more.
    mutating func putBack(_ entry: Entry, _ number: UInt64) -> Bool {
        if !isClosed { entries[number] = entry }
        return !isClosed
    }

    mutating func remove(_ number: UInt64) -> Entry? { entries.removeValue(forKey: number) }

    mutating func removeExpired(at now: Int64) -> [Entry] {
        let numbers = entries.filter { $0.value.deadline <= now }.keys
        return numbers.compactMap { entries.removeValue(forKey: $0) }
    }

    mutating func removeAll() -> [Entry] {
        defer { entries = [:] }
        return Array(entries.values)
    }

    mutating func close() -> [Entry] {
        isClosed = true
        return removeAll()
    }
}
