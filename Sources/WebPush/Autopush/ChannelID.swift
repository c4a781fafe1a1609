package import Base

/// A subscription's identifier, chosen by its user agent.
package struct ChannelID: Hashable, Sendable {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}
