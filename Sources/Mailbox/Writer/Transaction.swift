import Base
import Crypto
import Delivery
import SQLite
import WebPush

/// The current batch, as the owners of the stored data see it: where they write, how they seal, and
/// what they leave for after the commit. They cannot begin or end it. Only the writer's thread uses
/// it.
final class Transaction {
    let connection: Connection
    let index: StoreIndex
    let time: StoreTimekeeper
    let keys: StoreKeys
    let limits: StoreLimits
    /// The position of the last commit before the store was opened.
    let openedAt: Int64
    // Exclusivity is unchecked: only one thread uses these properties, one access at a time.
    /// The last position given to a row, even if it is unknown whether its batch was committed.
    @exclusivity(unchecked) private(set) var position: Int64
    /// What the current batch, or the one that failed, changes in memory.
    @exclusivity(unchecked) var effects = BatchEffects()
    /// Nothing expires before this; nil if nothing stored can expire.
    @exclusivity(unchecked) var nextExpiry: StoreTime?
    /// Something was deleted of which the files must keep nothing, and the WAL still has it.
    @exclusivity(unchecked) var hasForgotten = false
    @exclusivity(unchecked) var sealer: Sealer
    @exclusivity(unchecked) private var hash: SHA256
    @exclusivity(unchecked) private var keyGeneration: Int

    init(
        on connection: consuming Connection, after position: Int64, keys: StoreKeys,
        index: StoreIndex, time: StoreTimekeeper, limits: StoreLimits
    ) throws(StoreFault) {
        keyGeneration = keys.generation
        do throws(OpenSSLError) {
            sealer = try keys.sealer()
            hash = try SHA256()
        } catch { throw .crypto(error) }
        self.connection = connection
        self.position = position
        openedAt = position
        self.keys = keys
        self.index = index
        self.time = time
        self.limits = limits
    }

    func nextPosition() -> Int64 {
        position += 1
        return position
    }

    /// Positions after this one were given to rows that certainly were not stored. Other stores
    /// give these positions now. A page that had been read up to a higher one would miss what they
    /// store.
    func takeBackPositions(after last: Int64) { position = last }

    /// Another store gave positions up to this one.
    func raisePosition(to other: Int64) { position = max(position, other) }

    /// The store's time at this time of the wall clock, in seconds since 1970.
    func time(ofWall seconds: Int64) -> StoreTime {
        let rest = max(seconds, 0) - time.reading().wall / 1_000
        return time.now.adding(seconds: UInt32(clamping: rest))
    }

    /// Schedules a sweep for this time.
    func wake(at time: StoreTime) { nextExpiry = min(nextExpiry ?? time, time) }
}

/// Keys.
extension Transaction {
    /// Something may have been sealed under another key since the last look.
    var hasNewKeys: Bool { keys.generation != keyGeneration }

    /// True if the keys have changed.
    func useCurrentKeys() throws(StoreFault) -> Bool {
        let generation = keys.generation
        guard generation != keyGeneration else { return false }
        do throws(OpenSSLError) { sealer = try keys.sealer() } catch { throw .crypto(error) }
        keyGeneration = generation
        return true
    }

    /// The number of a device's owner, which no device ever changes. One that this batch has added
    /// is not in the index yet.
    func owner(ofDevice device: UInt32) throws(StoreFault) -> Int64 {
        if let owner = index.knownOwner(ofDevice: device) { return Int64(owner) }
        let select = try connection.statement("SELECT owner FROM device WHERE row = ?1", device)
        return try select.step() ? select.integer(0) : 0
    }

    func seal(_ bytes: [UInt8], at place: Sealer.Place) throws(StoreFault) -> [UInt8] {
        do throws(OpenSSLError) { return try sealer.seal(bytes.span, at: place) } catch {
            throw .crypto(error)
        }
    }

    /// Nil if it does not open; the caller cannot use the reason.
    func unsealed(_ sealed: [UInt8], at place: Sealer.Place) -> [UInt8]? {
        (try? sealer.open(sealed.span, at: place)).map { $0.withSpan { $0.array($0.indices) } }
    }

    /// Hashes text that could identify somebody, so that the file does not contain the text.
    func hashing<Result>(
        _ body: (_ key: Secret, inout SHA256) throws(OpenSSLError) -> Result
    ) throws(StoreFault) -> Result {
        do throws(OpenSSLError) { return try body(keys.endpoint, &hash) } catch {
            throw .crypto(error)
        }
    }
}

/// Registrations as the batch sees them, and what waits for them.
extension Transaction {
    /// Nil if it does not exist or cannot be read.
    func registration(_ device: UInt32) throws(StoreFault) -> Registration? {
        if case .registration(let registration) = try find(device) { registration } else { nil }
    }

    func find(_ device: UInt32) throws(StoreFault) -> RegistrationRows.Found {
        try RegistrationRows.find(device: device, on: connection, &sealer)
    }

    /// The registrations of an engine that can be read.
    func registrations(of engine: UInt32) throws(StoreFault) -> [Registration] {
        var registrations: [Registration] = []
        for device in try devices(of: engine) {
            if let registration = try registration(device) { registrations.append(registration) }
        }
        return registrations
    }

    func devices(of engine: UInt32) throws(StoreFault) -> [UInt32] {
        try EngineRows.devices(engine, on: connection)
    }

    /// The signals that have not expired.
    func signals(device: UInt32) throws(StoreFault) -> FetchSignals {
        var signals = try FetchSignalRows.load(device: device, on: connection)
        signals.expire(at: time.now)
        return signals
    }

    func save(_ signals: FetchSignals, device: UInt32) throws(StoreFault) {
        try FetchSignalRows.save(signals, device: device, on: connection)
    }

    func removeSignals(device: UInt32) throws(StoreFault) -> FetchSignals {
        let signals = try signals(device: device)
        try save(FetchSignals(), device: device)
        return signals
    }

    /// A message of the store's own, in clear.
    func message(
        _ content: MessageContent, to address: Address
    ) throws(StoreFault) -> Message {
        var random = RandomSupply()
        do throws(OpenSSLError) {
            return Message(
                id: try MessageID(from: &random), location: try LocationID(from: &random),
                address: address, sequence: index.nextSequence(), content: content,
                level: .clear, arrival: time.reading().wall,
                expiry: time.now.adding(seconds: content.ttl))
        } catch { throw .crypto(error) }
    }

    func newID() throws(StoreFault) -> MessageID {
        var random = RandomSupply()
        do throws(OpenSSLError) { return try MessageID(from: &random) } catch {
            throw .crypto(error)
        }
    }
}
