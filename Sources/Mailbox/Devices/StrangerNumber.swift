package import Base
package import Crypto

/// The number under which devices without a credential are counted. Owners use their row.
package struct StrangerNumber: Equatable, Sendable {
    /// All programs on this machine.
    package static let local = StrangerNumber(row: 0)
    /// All strangers that are not on this machine.
    static let all: UInt32 = .max - 1
    private static let first: UInt32 = 1 << 31

    let row: UInt32

    private init(row: UInt32) { self.row = row }

    /// The number of a network (`IPAddress.network`). It is computed under a key, so the file does
    /// not reveal the network and nobody can choose to share another's number.
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
