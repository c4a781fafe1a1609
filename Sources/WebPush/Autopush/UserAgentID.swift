package import Base

/// Identifies a user agent. Whoever knows it can take its messages.
package struct UserAgentID: Hashable, Sendable, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}
