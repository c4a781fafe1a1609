import Base

/// A topic: only the latest push with it matters (RFC 8030 section 5.4).
package struct Topic: Hashable, Sendable {
    package static let lengthLimit = 32

    private let storage: InlineArray<32, UInt8>
    private let count: UInt8

    /// Nil unless `name` is 1 to 32 characters of the URL-safe base64 alphabet.
    package init?(_ name: Span<UInt8>) {
        guard (1...Self.lengthLimit).contains(name.count), name.isBase64URLAlphabet else {
            return nil
        }
        storage = InlineArray { $0 < name.count ? name[$0] : 0 }
        count = UInt8(name.count)
    }

    package init?(_ text: String) {
        let name = Array(text.utf8)
        self.init(name.span)
    }

    package var text: String {
        withSpan { name in
            name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }

    package func withSpan<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span.extracting(0..<Int(count)))
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.withSpan { left in right.withSpan { left.elementsEqual($0) } }
    }

    package func hash(into hasher: inout Hasher) {
        withSpan { name in name.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}

extension Span<UInt8> {
    var isBase64URLAlphabet: Bool {
        for index in indices where !self[index].isIn(0x03FF_2000_0000_0000, 0x07FF_FFFE_87FF_FFFE) {
            return false
        }
        return true
    }
}

/// How urgent a push is for a device that saves power (RFC 8030 section 5.3). The words are stored.
package enum Urgency: String, Sendable, CaseIterable, Comparable {
    case veryLow = "very-low"
    case low = "low"
    case normal = "normal"
    case high = "high"

    package init?(_ word: Span<UInt8>) {
        switch word.count {
        case 8 where word.elementsEqual("very-low"): self = .veryLow
        case 3 where word.elementsEqual("low"): self = .low
        case 6 where word.elementsEqual("normal"): self = .normal
        case 4 where word.elementsEqual("high"): self = .high
        default: return nil
        }
    }

    package var word: StaticString {
        switch self {
        case .veryLow: "very-low"
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        }
    }

    package init?(rank: UInt8) {
        guard let urgency = Self.allCases.first(where: { $0.rank == rank }) else { return nil }
        self = urgency
    }

    /// From 0, least urgent, to 3. This number is stored.
    package var rank: UInt8 {
        switch self {
        case .veryLow: 0
        case .low: 1
        case .normal: 2
        case .high: 3
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
