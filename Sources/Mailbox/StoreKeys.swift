package import Base
import Crypto
import System

/// The keys that the store uses to seal data, to recognise endpoints and to hash topic names. All
/// threads share it.
final class StoreKeys: Sendable {
    private struct Masters {
        var current: MasterKey
        /// Former master keys, under which data may be sealed too.
        var others: [MasterKey]
        /// Everything has to be sealed again, under the current master key.
        var mustReseal: Bool
        /// Counts changes, so that threads know when to replace their sealers.
        var generation = 0
    }

    let own: OwnKeys
    var endpoint: Secret { own.endpoint }
    private let masters: Lock<Masters>

    /// `isShared`: several stores stay alike, and only one of them seals everything again.
    init(master: MasterKey, former: [MasterKey], own: OwnKeys, isShared: Bool = false) {
        masters = Lock(
            Masters(current: master, others: former, mustReseal: !isShared && !former.isEmpty))
        self.own = own
    }

    var generation: Int { masters.withLock { $0.generation } }
    var mustReseal: Bool { masters.withLock { $0.mustReseal } }
    /// The keys that open something here.
    var identifiers: Set<UInt64> {
        masters.withLock { masters in Set(masters.others.map(\.id) + [masters.current.id]) }
    }

    func sealer() throws(OpenSSLError) -> Sealer {
        let masters = masters.withLock { $0 }
        return try Sealer(current: masters.current, former: masters.others)
    }

    /// From now on everything is sealed under `key`; older data still opens. Call this only while
    /// no thread reads: a reader without the new key would take newly sealed data for damaged.
    func rotate(to key: MasterKey) {
        masters.withLock { masters in
            masters.others.append(masters.current)
            masters.current = key
            masters.mustReseal = true
            masters.generation += 1
        }
    }

    /// Call this when nothing is sealed under the former keys any more.
    func dropFormer() {
        masters.withLock { masters in
            masters.others = []
            masters.mustReseal = false
            masters.generation += 1
        }
    }
}

/// Stores that stay alike.
extension StoreKeys {
    /// What other stores seal under this key opens here from now on.
    func learn(_ key: MasterKey) {
        guard !identifiers.contains(key.id) else { return }
        masters.withLock { masters in
            masters.others.append(key)
            masters.generation += 1
        }
    }

    /// Seals under one of the known keys from now on.
    func use(_ id: UInt64) {
        masters.withLock { masters in
            guard let place = masters.others.firstIndex(where: { $0.id == id }) else { return }
            let former = masters.current
            masters.current = masters.others[place]
            masters.others[place] = former
            masters.generation += 1
        }
    }

    /// This store seals everything again for all of them.
    func reseal() {
        masters.withLock { masters in
            masters.mustReseal = true
            masters.generation += 1
        }
    }

    /// The other keys stay: another store may not be done with them.
    func endResealing() { masters.withLock { $0.mustReseal = false } }
}

/// The random keys of an installation. They are made once, and the nodes of a cluster share them.
/// The master key only seals them, so they outlast it.
package struct OwnKeys: Sendable, Confidential {
    static let place = Sealer.Place(table: "state", row: 1, column: "sealed_keys")
    private static let length = 32

    package let endpoint: Secret
    /// Authenticates backups.
    let backup: Secret

    /// Makes them.
    init() throws(StoreFault) {
        do throws(OpenSSLError) {
            endpoint = try Random.secret(count: Self.length)
            backup = try Random.secret(count: Self.length)
        } catch { throw .crypto(error) }
    }

    /// A key that unseals this record unseals the rest.
    init(_ sealed: [UInt8], _ sealer: consuming Sealer) throws(StoreFault) {
        var sealer = sealer
        let bytes: Secret
        do throws(Sealer.Failure) {
            bytes = try sealer.open(sealed.span, at: Self.place)
        } catch {
            switch error {
            case .unknownMasterKey: throw .wrongMasterKey
            case .fault(let error): throw .crypto(error)
            case .notSealed, .damaged: throw .damaged("its keys cannot be unsealed")
            }
        }
        guard bytes.count == 2 * Self.length else { throw .damaged("its keys cannot be read") }
        endpoint = bytes.withSpan { Secret($0.extracting(..<Self.length)) }
        backup = bytes.withSpan { Secret($0.extracting(Self.length...)) }
    }

    func sealed(under master: MasterKey) throws(StoreFault) -> [UInt8] {
        let bytes = Secret(count: 2 * Self.length) { block in
            for (start, key) in [(0, endpoint), (Self.length, backup)] {
                key.withSpan { key in
                    for index in key.indices { block[start + index] = key[index] }
                }
            }
        }
        do throws(OpenSSLError) {
            var sealer = try Sealer(current: master)
            return try bytes.withSpan { bytes throws(OpenSSLError) in
                try sealer.seal(bytes, at: Self.place)
            }
        } catch { throw .crypto(error) }
    }
}
