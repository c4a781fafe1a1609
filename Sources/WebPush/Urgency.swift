import Base

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
