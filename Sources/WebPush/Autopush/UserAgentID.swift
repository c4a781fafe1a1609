package import Base

/// Names a user agent, and lets whoever knows it take its messages.
package struct UserAgentID: Hashable, Sendable, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}
