import Base
import Crypto
import System

/// The keys that the store uses to seal data, to recognise endpoints and to hash topic names. All
/// threads share it.
final class StoreKeys: Sendable {
    private struct Masters {
        var current: MasterKey
        var former: [MasterKey]
        /// Counts changes, so that threads know when to replace their sealers.
        var generation = 0
    }

    let endpoint: Secret
    private let masters: Lock<Masters>

    init(master: MasterKey, former: [MasterKey], endpoint: Secret) {
        masters = Lock(Masters(current: master, former: former))
        self.endpoint = endpoint
    }

    var generation: Int { masters.withLock { $0.generation } }
    var hasFormer: Bool { masters.withLock { !$0.former.isEmpty } }

    func sealer() throws(OpenSSLError) -> Sealer {
        let masters = masters.withLock { $0 }
        return try Sealer(current: masters.current, former: masters.former)
    }

    /// From now on everything is sealed under `key`; older data still opens. Call this only while
    /// no thread reads: a reader without the new key would take newly sealed data for damaged.
    func rotate(to key: MasterKey) {
        masters.withLock { masters in
            masters.former.append(masters.current)
            masters.current = key
            masters.generation += 1
        }
    }

    /// Call this when nothing is sealed under the former keys any more.
    func dropFormer() {
        masters.withLock { masters in
            masters.former = []
            masters.generation += 1
        }
    }
}
