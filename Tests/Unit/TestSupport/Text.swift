package import Base
import Foundation

/// What a test vector writes as base64url, or nothing where it has no such member.
package func bytes(_ text: String?) -> [UInt8] {
    text.flatMap { Base64URL.decode($0) } ?? []
}

package func secret(_ text: String?) -> Secret { Secret(bytes(text).span) }

/// Every way to cut `bytes` short, with and without the last byte.
package func prefixes(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<bytes.count).map { Array(bytes[..<$0]) }
}
