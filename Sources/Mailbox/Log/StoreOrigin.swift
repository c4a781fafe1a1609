package import Crypto

/// What a store begins with, and what stores that stay alike have in common.
package struct StoreOrigin: Equatable, Sendable {
    /// When the store's time began: milliseconds since 1970.
    package let wall: Int64
    /// `OwnKeys`.
    package let sealedKeys: [UInt8]

    package init(wall: Int64, sealedKeys: [UInt8]) {
        self.wall = wall
        self.sealedKeys = sealedKeys
    }

    /// Makes the keys.
    package init(wall: Int64, masterKey: MasterKey) throws(StoreFault) {
        try self.init(wall: wall, keys: OwnKeys(), masterKey: masterKey)
    }

    /// Seals the keys.
    package init(wall: Int64, keys: OwnKeys, masterKey: MasterKey) throws(StoreFault) {
        self.wall = wall
        sealedKeys = try keys.sealed(under: masterKey)
    }
}
