package import Base
package import Crypto

/// What a store begins with, and what stores that stay alike have in common.
package struct StoreOrigin: Equatable, Sendable {
    static let keyPlace = Sealer.Place(table: "state", row: 1, column: "sealed_endpoint_key")
    private static let endpointKeyLength = 32

    /// When the store's time began: milliseconds since 1970.
    package let wall: Int64
    package let sealedEndpointKey: [UInt8]

    package init(wall: Int64, sealedEndpointKey: [UInt8]) {
        self.wall = wall
        self.sealedEndpointKey = sealedEndpointKey
    }

    /// Makes an endpoint key.
    package init(wall: Int64, masterKey: MasterKey) throws(StoreFault) {
        let key: Secret
        do throws(OpenSSLError) { key = try Random.secret(count: Self.endpointKeyLength) } catch {
            throw .crypto(error)
        }
        try self.init(wall: wall, endpointKey: key, masterKey: masterKey)
    }

    /// Seals the endpoint key.
    package init(
        wall: Int64, endpointKey: Secret, masterKey: MasterKey
    ) throws(StoreFault) {
        self.wall = wall
        do throws(OpenSSLError) {
            var sealer = try Sealer(current: masterKey)
            sealedEndpointKey = try endpointKey.withSpan { key throws(OpenSSLError) in
                try sealer.seal(key, at: Self.keyPlace)
            }
        } catch { throw .crypto(error) }
    }
}
