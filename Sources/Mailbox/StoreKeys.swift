import Base
import Crypto
import System

/// The keys by which a store seals, and by which it knows endpoints and names topics. For all its
/// threads.
final class StoreKeys: Sendable {
    private struct Masters {
        var current: MasterKey
        var former: [MasterKey]
        /// Counts changes, so that threads know when to make their sealers anew.
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

    /// From now on everything is sealed under `key`, and what was sealed before still opens. Only
    /// while no thread reads: one that does not know the key yet would take for damaged what
    /// another has sealed under it.
    func rotate(to key: MasterKey) {
        masters.withLock { masters in
            masters.former.append(masters.current)
            masters.current = key
            masters.generation += 1
        }
    }

    /// Nothing is sealed under them any more.
    func dropFormer() {
        masters.withLock { masters in
            masters.former = []
            masters.generation += 1
        }
    }
}
