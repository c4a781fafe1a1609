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

    static let words: [(Self, StaticString)] = [
        (ttl, "ttl"), (topic, "topic"), (urgency, "urgency"), (withdrawn, "withdrawn"),
    ]

    /// Unknown words are for later versions.
    init(_ word: Span<UInt8>) {
        self = Self.words.first { word.elementsEqual($0.1) }?.0 ?? []
    }
}
