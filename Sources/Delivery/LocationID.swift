package import Base

/// What the sender may withdraw a message by: the end of its `Location`.
package struct LocationID: Hashable, Sendable, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}
