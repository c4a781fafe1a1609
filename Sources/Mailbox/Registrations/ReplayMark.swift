package import Base

/// By which the body of a push is known again: the first half of a hash of its endpoint, salt and
/// sender's key.
package struct ReplayMark: Equatable, Sendable {
    package static let lifetime: UInt32 = 30 * 86_400

    let bytes: [UInt8]

    package init(_ digest: Digest) { bytes = Array(digest.bytes.prefix(16)) }
}
