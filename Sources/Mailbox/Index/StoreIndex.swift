package import Base
package import Delivery
import Synchronization
package import System
package import Topics
package import WebPush

/// What the server must know about its store for every push and every hello, in memory.
///
/// Any thread may use it; nothing here waits for a disk. The store keeps it current: everything in
/// the index is committed, and every commit is in the index before anybody is told.
package final class StoreIndex: Sendable {
    /// The result of looking up one of our endpoint tokens.
    package enum EndpointAnswer: Equatable, Sendable {
        case found(Endpoint)
        /// It has ended: 410.
        case gone
        /// Another node may just have made it: ask again.
        case unsure
        /// Until then, it may be newer than the backup that the store was restored from.
        case missing(until: StoreTime)
    }

    package struct UserAgent: Equatable, Sendable {
        package let device: UInt32
        package let credential: UInt32?
    }

    struct UserAgentEntry: FlatEntry {
        static let vacant = UserAgentEntry(key: 0, check: 0, device: 0, credential: 0)

        /// The first two words of the SHA-256 of the id, which nobody can find by trying.
        let key: UInt64
        let check: UInt64
        let device: UInt32
        /// Zero for none.
        let credential: UInt32
    }

    package let registrations = RegistrationCache()
    let endpoints: EndpointTable
    package let callbacks = CallbackIndex()
    let reminders = Reminders()
    package let engines = EngineIndex()
    package let topics = TopicIndex()
    package let files = TopicFiles()
    package let endings = EndingNotifier()
    /// Gets what other stores did, on any thread, once all of it is in the index.
    package let remoteChanges = Subscriber<RemoteChanges, Void>()
    /// Says whether a device is connected to this server.
    package let isConnectedHere = Subscriber<UInt32, Bool>()
    /// What a restore may have lost.
    let missing = MissingEndpoints()
    private let unknown = UnknownEndpoints()
    /// Somebody compares this store with others.
    let isCompared = Atomic(false)
    /// Records to skip for now.
    package let setAside: SetAsideInputs
    private let userAgents: Lock<FlatTable<UserAgentEntry>>
    private let ledger: Lock<QuotaLedger>
    private let marks = Lock(MarkTable())
    private let credentials = Lock(CredentialTable())
    private let growth: GrowthLimits
    private let sequence = SequenceCounter()
    private let subscriptionRows = RowNumbers()
    private let deviceRows = RowNumbers()
    private let credentialRows = RowNumbers()
    private let addressNumber = Atomic<Int64>(0)

    init(
        quota: QuotaLimits, growth: GrowthLimits = GrowthLimits(), endpoints: Int = 0,
        devices: Int = 0, setAside: SetAsideInputs = SetAsideInputs()
    ) {
        self.setAside = setAside
        self.growth = growth
        self.endpoints = EndpointTable(expecting: endpoints)
        userAgents = Lock(FlatTable(expecting: devices))
        ledger = Lock(QuotaLedger(limits: quota, expectingDevices: devices))
    }
}

/// Look-ups.
extension StoreIndex {
    /// `digest` is that of a token whose mark is ours.
    package func endpoint(_ digest: Digest) -> EndpointAnswer {
        if let endpoint = endpoints[digest] { return .found(endpoint) }
        guard !unknown.mayExist(digest.words.0, at: Boot.milliseconds) else { return .unsure }
        return missing.answer(digest)
    }

    /// `digest` is that of the user agent's id.
    package func userAgent(_ digest: Digest) -> UserAgent? {
        let key = max(1, digest.words.0)
        guard let entry = userAgents.withLock({ $0[key] }), entry.check == digest.words.1
        else { return nil }
        return UserAgent(
            device: entry.device, credential: entry.credential == 0 ? nil : entry.credential)
    }

    /// Another node may just have made what has this digest: ask again.
    package func mayBeElsewhere(_ digest: Digest) -> Bool {
        unknown.mayExist(digest.words.0, at: Boot.milliseconds)
    }

    /// Another node may just have stored the message with this unknown id.
    package func mayBeElsewhere(_ id: TopicMessageID) -> Bool {
        id.number.map { unknown.mayExist($0, at: Boot.milliseconds) } ?? false
    }

    /// The credential of a device; `digest` is that of its bearer secret.
    package func credential(_ digest: Digest) -> DeviceCredential? {
        let found = credentials.withLock { $0[digest] }
        return found?.token == nil ? found : nil
    }

    /// A token for topics.
    package func token(_ digest: Digest) -> DeviceCredential? {
        let found = credentials.withLock { $0[digest] }
        return found?.token == nil ? nil : found
    }

    /// That of a device or for topics, by its row.
    package func credential(row: UInt32) -> DeviceCredential? {
        credentials.withLock { $0[row: row] }
    }

    package var endpointCount: Int { endpoints.count }
    package var deviceCount: Int { ledger.withLock { $0.deviceCount } }

    /// What waits for all devices together.
    package var usage: (messages: Int, bytes: Int) { ledger.withLock { $0.total } }

    package func usage(ofDevice device: UInt32) -> (messages: Int, bytes: Int) {
        ledger.withLock { $0.usage(ofDevice: device) }
    }

    package func usage(ofOwner owner: UInt32) -> (messages: Int, bytes: Int) {
        ledger.withLock { $0.usage(ofOwner: owner) }
    }
}

extension StoreIndex: ReservationKeeper {
    /// A message ended, or was not accepted after all.
    package func release(_ size: Int, for address: Address) {
        ledger.withLock { $0.release(size, for: address) }
    }

    package func release(_ mark: RepetitionMark) { marks.withLock { $0.release(mark) } }
}

/// Acceptance.
extension StoreIndex {
    /// Counts a message against its quotas, unless it is never stored. False means 429.
    package func reserve(
        _ content: borrowing MessageContent, for address: Address,
        in reservation: inout Reservation
    ) -> Bool {
        guard content.needsStore else { return true }
        let size = content.size
        guard ledger.withLock({ $0.reserve(size, for: address) }) == nil else { return false }
        reservation.add(room: size, for: address, by: self)
        return true
    }

    /// Whether there is room for a message right now.
    package func hasRoom(for content: borrowing MessageContent, _ address: Address) -> Bool {
        guard content.needsStore else { return true }
        let size = content.size
        return ledger.withLock { $0.refusal(of: size, for: address) } == nil
    }

    /// Reserves the mark of a repeatable push that is being accepted.
    package func reserve(
        _ mark: RepetitionMark, for device: UInt32, in reservation: inout Reservation
    ) -> RepetitionAnswer {
        let owner = owner(ofDevice: device)
        let answer = marks.withLock { $0.reserve(mark, owner: owner) }
        if answer == .new { reservation.add(mark, by: self) }
        return answer
    }

    package func nextSequence() -> Int64 { sequence.next() }
    package func nextSubscription() -> UInt32 { subscriptionRows.next() }
    package func nextDevice() -> UInt32 { deviceRows.next() }
    package func nextCredential() -> UInt32 { credentialRows.next() }

    static let lastRow = RowNumbers.last
}

/// What only the stores of a cluster need.
extension StoreIndex {
    /// Another store accepted messages up to this one.
    func raiseSequence(to other: Int64) { sequence.raise(to: other) }

    /// From now on, new rows get numbers that no other store gives. False if there are none left.
    func begin(_ block: NumberBlock) -> Bool {
        guard let numbers = block.numbers else { return false }
        for rows in [subscriptionRows, deviceRows, credentialRows] { rows.begin(numbers) }
        sequence.begin(Int64(block.number))
        unknown.begin()
        return true
    }

    var isLowOnNumbers: Bool {
        subscriptionRows.isLow || deviceRows.isLow || credentialRows.isLow
    }

    func add(_ block: NumberBlock) {
        guard let numbers = block.numbers else { return }
        for rows in [subscriptionRows, deviceRows, credentialRows] where rows.isLow {
            rows.add(numbers)
        }
    }
}

/// Changes that the store makes.
extension StoreIndex {
    /// The last numbers that were given out.
    struct Counters: Equatable {
        var sequence: Int64 = 0
        var subscription: UInt32 = 0
        var device: UInt32 = 0
        var credential: UInt32 = 0
    }

    var counters: Counters {
        get {
            Counters(
                sequence: sequence.given, subscription: subscriptionRows.given,
                device: deviceRows.given, credential: credentialRows.given)
        }
        set {
            sequence.given = newValue.sequence
            subscriptionRows.given = newValue.subscription
            deviceRows.given = newValue.device
            credentialRows.given = newValue.credential
        }
    }

    /// The server's address, as `Schema.addresses` describes it.
    var address: Int64 {
        get { addressNumber.load(ordering: .relaxed) }
        set { addressNumber.store(newValue, ordering: .relaxed) }
    }

    func add(_ device: KnownUserAgent, owner: UInt32) {
        ledger.withLock { $0.addDevice(device.row, owner: owner) }
        let (key, check) = (device.userAgent.words.0, device.userAgent.words.1)
        userAgents.withLock {
            $0.set(
                UserAgentEntry(
                    key: max(1, key), check: check, device: device.row,
                    credential: device.credential ?? 0))
        }
    }

    func removeDevice(_ row: UInt32, userAgent: Digest) {
        userAgents.withLock { _ = $0.remove(max(1, userAgent.words.0)) }
        ledger.withLock { $0.removeDevice(row) }
    }

    func set(_ credential: DeviceCredential) {
        credentials.withLock { $0.set(credential) }
    }

    func confirmCredential(_ secret: Digest) {
        credentials.withLock { $0.change(secret) { $0.isConfirmed = true } }
    }

    func renameCredential(_ secret: Digest, _ name: String) {
        credentials.withLock { $0.change(secret) { $0.name = name } }
    }

    func changeToken(_ secret: Digest, _ terms: TokenTerms) {
        credentials.withLock { $0.change(secret) { $0.token = $0.token?.with(terms) } }
    }

    /// Returns its row; nil if it does not exist.
    func removeCredential(_ secret: Digest) -> UInt32? {
        credentials.withLock { $0.remove(secret) }
    }

    /// Whether another user agent may connect without a credential.
    var hasRoomForStranger: Bool { ledger.withLock { $0.strangerCount } < growth.strangers }

    /// Whether the owner of a device may have another endpoint.
    func hasRoomForEndpoint(of device: UInt32) -> Bool {
        let hasRoom = ledger.withLock { ledger in
            let owner = ledger.owner(ofDevice: device)
            return (owner == 0 || ledger.endpointCount(ofOwner: owner) < growth.endpoints)
                && (!QuotaLedger.isStranger(owner)
                    || ledger.endpointCount(ofOwner: 0) < growth.endpointsOfStrangers)
        }
        return hasRoom && endpoints.count < growth.allEndpoints
    }

    func add(_ endpoint: Endpoint, _ digest: Digest) {
        guard endpoints.insert(endpoint, for: digest) else { return }
        ledger.withLock { $0.addEndpoint(ofDevice: endpoint.address.device) }
    }

    package func owner(ofDevice device: UInt32) -> UInt32 { knownOwner(ofDevice: device) ?? 0 }

    /// Nil for an unknown device.
    func knownOwner(ofDevice device: UInt32) -> UInt32? {
        ledger.withLock { $0.knownOwner(ofDevice: device) }
    }

    func keep(_ entry: OwnedMark) {
        marks.withLock { $0.keep(entry.mark, owner: entry.owner) }
    }

    func remove(_ mark: RepetitionMark) { marks.withLock { $0.remove(mark) } }

    /// Counts a message that was stored at the start.
    func count(_ size: Int, for address: Address) {
        ledger.withLock { $0.count(size, for: address) }
    }

    func removeEndpoint(_ digest: Digest) {
        missing.end(digest)
        unknown.end(digest.words.0)
        if let endpoint = endpoints.remove(digest) {
            ledger.withLock { $0.removeEndpoint(ofDevice: endpoint.address.device) }
        }
    }
}
