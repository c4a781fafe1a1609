package import Base

/// A P-256 public key in the uncompressed form of X9.62: 04, x, y. It is not yet known to lie on
/// the curve.
package struct UncompressedPoint: Equatable, Hashable, Sendable {
    package static let length = 65

    private let storage: InlineArray<65, UInt8>

    /// Nil unless it has 65 bytes and starts with 04 (RFC 8291 section 4).
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.length, bytes[0] == 0x04 else { return nil }
        storage = InlineArray { bytes[$0] }
    }

    /// The first half of x.
    package var start: Bits128? { Bits128(storage.span.extracting(1..<17)) }

    package func withSpan<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.storage.span.elementsEqual(right.storage.span)
    }

    package func hash(into hasher: inout Hasher) {
        for index in storage.indices { hasher.combine(storage[index]) }
    }
}

extension UncompressedPoint {
    package var base64URL: String { withSpan(Base64URL.text) }

    package init?(base64URL text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes.span)
    }
}
