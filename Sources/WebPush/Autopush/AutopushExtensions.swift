import Base

/// Extensions to Firefox's protocol that a client asks for.
package struct AutopushExtensions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Each adds a member to notifications.
    package static let ttl = Self(rawValue: 1)
    package static let topic = Self(rawValue: 2)
    package static let urgency = Self(rawValue: 4)
    /// Announces that a delivered message no longer needs to be shown.
    package static let withdrawn = Self(rawValue: 8)

    static let words: [(Self, StaticString)] = [
        (ttl, "ttl"), (topic, "topic"), (urgency, "urgency"), (withdrawn, "withdrawn"),
    ]

    /// Unknown words are ignored.
    init(_ word: Span<UInt8>) {
        self = Self.words.first { word.elementsEqual($0.1) }?.0 ?? []
    }
}
