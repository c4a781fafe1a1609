package import Base
import Foundation

/// A base64url member of a test vector; empty if it has no such member.
package func bytes(_ text: String?) -> [UInt8] {
    text.flatMap { Base64URL.decode($0) } ?? []
}

package func secret(_ text: String?) -> Secret { Secret(bytes(text).span) }

/// Every proper prefix of `bytes`.
package func prefixes(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<bytes.count).map { Array(bytes[..<$0]) }
}
