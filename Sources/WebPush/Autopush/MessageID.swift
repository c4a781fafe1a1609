package import Base

/// Identifies an accepted push, in each delivery and in the address that withdraws it.
package struct MessageID: Hashable, Sendable {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }

    /// Reads the id as `version` of a notification and the end of `Location` have it.
    package init?(text: Span<UInt8>) {
        guard let bits = Bits128(base64URL: text) else { return nil }
        self.init(bits)
    }

    package func append(to output: inout [UInt8]) { bits.appendBase64URL(to: &output) }
}
