import Base

/// What a client asks for beyond the protocol that it shares with Firefox.
package struct AutopushExtensions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Each is a member that notifications then have.
    package static let ttl = Self(rawValue: 1)
    package static let topic = Self(rawValue: 2)
    package static let urgency = Self(rawValue: 4)
    /// Tells that a delivered message is not worth showing any more.
    package static let withdrawn = Self(rawValue: 8)

    /// Unknown words are for later versions.
    init(_ word: Span<UInt8>) {
        switch word.count {
        case 3 where word.elementsEqual("ttl"): self = .ttl
        case 5 where word.elementsEqual("topic"): self = .topic
        case 7 where word.elementsEqual("urgency"): self = .urgency
        case 9 where word.elementsEqual("withdrawn"): self = .withdrawn
        default: self = []
        }
    }
}
