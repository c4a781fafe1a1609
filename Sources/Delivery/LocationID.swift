package import Base

/// The end of a message's `Location`, with which the sender may withdraw it.
package struct LocationID: Hashable, Sendable, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}
