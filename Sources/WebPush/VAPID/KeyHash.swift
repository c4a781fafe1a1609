package import Base

/// The first 120 bits of the SHA-256 of a public key: enough that nobody finds a second key with
/// them.
package struct KeyHash: Hashable, Sendable {
    package let high: UInt64
    /// Its last byte is zero.
    package let low: UInt64

    package init(_ digest: Digest) { self.init(high: digest.words.0, low: digest.words.1) }

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low & ~0xFF
    }
}
