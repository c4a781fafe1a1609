import Base
import Crypto
import Delivery
import SQLite
import WebPush

/// The batch under way, for the owners of what is stored: where they write, with what they seal, and
/// what they leave to be done after the commit. They can neither begin nor end it. For the writer's
/// thread.
final class Transaction {
    let connection: Connection
    let index: StoreIndex
    let time: StoreTimekeeper
    let keys: StoreKeys
    let limits: StoreLimits
    /// That of the last commit before the store was opened.
    let openedAt: Int64
    // Of one thread, and used by nothing that is called while they change.
    /// The last one that was given to a row, in a batch that was committed or not.
    @exclusivity(unchecked) private(set) var position: Int64
    /// What the batch under way, or the one that failed, changes in memory.
    @exclusivity(unchecked) var effects = BatchEffects()
    /// Nothing expires before this; nil when nothing that can is stored.
    @exclusivity(unchecked) var nextExpiry: StoreTime?
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

    /// Something expires then.
    func wake(at time: StoreTime) { nextExpiry = min(nextExpiry ?? time, time) }
}

/// Keys.
extension Transaction {
    /// Something may have been sealed under another key than the current one since the last look.
    var hasNewKeys: Bool { keys.generation != keyGeneration }

    /// True if there are others than before.
    func useCurrentKeys() throws(StoreFault) -> Bool {
        let generation = keys.generation
        guard generation != keyGeneration else { return false }
        do throws(OpenSSLError) { sealer = try keys.sealer() } catch { throw .crypto(error) }
        keyGeneration = generation
        return true
    }

    func seal(_ bytes: [UInt8], at place: Sealer.Place) throws(StoreFault) -> [UInt8] {
        do throws(OpenSSLError) { return try sealer.seal(bytes.span, at: place) } catch {
            throw .crypto(error)
        }
    }

    /// Nil where it does not open: why is of no use to the one who asks for it.
    func unsealed(_ sealed: [UInt8], at place: Sealer.Place) -> [UInt8]? {
        (try? sealer.open(sealed.span, at: place)).map { $0.withSpan { $0.array($0.indices) } }
    }

    /// What stands in the file for something that may tell who somebody is.
    func hashing<Result>(
        _ body: (_ key: Secret, inout SHA256) throws(OpenSSLError) -> Result
    ) throws(StoreFault) -> Result {
        do throws(OpenSSLError) { return try body(keys.endpoint, &hash) } catch {
            throw .crypto(error)
        }
    }
}
