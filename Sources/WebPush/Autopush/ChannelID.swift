package import Base

/// Names one subscription of a user agent, which chose it.
package struct ChannelID: Hashable, Sendable {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}
