package import Base
import Crypto

/// The random keys of an installation. They are made once, and the nodes of a cluster share them.
/// The master key only seals them, so they outlast it.
package struct OwnKeys: Sendable, Confidential {
    static let place = Sealer.Place(table: "state", row: 1, column: "sealed_keys")
    /// Where earlier versions sealed the key of endpoints alone.
    private static let formerPlace = Sealer.Place(
        table: "state", row: 1, column: "sealed_endpoint_key")
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
            case .notSealed, .damaged:
                // The caller cannot use the reason why it does not open there either.
                let former = try? sealer.open(sealed.span, at: Self.formerPlace)
                throw former == nil ? .damaged("its keys cannot be unsealed") : .earlierSchema
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
