package import Base
package import Crypto

/// Under which number those are counted who have a device and no credential, where owners have the
/// number of their row.
package struct StrangerNumber: Equatable, Sendable {
    /// Programs on this machine, all together.
    package static let local = StrangerNumber(row: 0)
    /// All who are not on this machine, together.
    static let all: UInt32 = .max - 1
    private static let first: UInt32 = 1 << 31

    let row: UInt32

    private init(row: UInt32) { self.row = row }

    /// Of a network (`IPAddress.network`). Calculated under a key, so that neither the file tells
    /// where somebody was, nor anybody chooses with whom to share a number.
    package init(network: UInt64, key: Secret) throws(OpenSSLError) {
        var hash = try SHA256()
        let text = Array("stranger \(network)".utf8)
        let digest = try key.withSpan { key throws(OpenSSLError) in
            try hash.hmac(key: key, text.span)
        }
        let words = Digest(digest).words
        row = min(Self.first | UInt32(truncatingIfNeeded: words.0), Self.all - 1)
    }

    /// Whether this is the number of a network, not of an owner or of this machine.
    static func isNetwork(_ number: UInt32) -> Bool { number >= first }
}
