import Base

/// What the bearer of a token may do with the topics that its pattern names.
package struct TopicRights: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = TopicRights(rawValue: 1)
    package static let write = TopicRights(rawValue: 2)
    /// Answering questions. No token has it by default.
    package static let answer = TopicRights(rawValue: 4)

    /// Deleting and clearing what its bearer has read. Who may write may do so anyway.
    package static let end = TopicRights(rawValue: 8)

    /// Of a token for which nothing else was said.
    package static let usual: TopicRights = [.read, .write]
}

/// Which topics of its owner a token opens: names, with commas between them, in which each `*` stands
/// for any characters, or none.
package struct TopicPattern: Hashable, Sendable, Confidential {
    /// Without two stars in a row.
    package let text: String

    package static let longest = 8 * TopicName.longest

    /// Nil for a pattern that no name could match, or that is too long.
    package init?(_ text: some StringProtocol) {
        let said = Array(text.utf8.prefix(Self.longest + 1))
        let parts = said.split(separator: .comma, omittingEmptySubsequences: false)
        guard said.count <= Self.longest, parts.allSatisfy(Self.isPart) else { return nil }
        var bytes: [UInt8] = []
        for byte in said where byte != .star || bytes.last != .star { bytes.append(byte) }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    private static func isPart(_ part: ArraySlice<UInt8>) -> Bool {
        (1...TopicName.longest).contains(part.count)
            && part.allSatisfy { $0.isWordCharacter || $0 == .star }
    }

    private var parts: [[UInt8]] { text.utf8.split(separator: .comma).map { Array($0) } }

    package func matches(_ name: TopicName) -> Bool {
        parts.contains { Self.matches(Array(name.text.utf8), $0) }
    }

    /// It names the topic among any number of topics, also of those to come.
    package func foresees(_ name: TopicName) -> Bool {
        parts.contains { $0.contains(.star) && Self.matches(Array(name.text.utf8), $0) }
    }

    /// Only the last star is ever tried again, so there are at most as many steps as the product of
    /// both lengths. `one`, if it is said, stands for any character.
    package static func matches(
        _ name: [UInt8], _ pattern: [UInt8], one: UInt8? = nil
    ) -> Bool {
        var (index, position) = (0, 0)
        /// Where the pattern goes on after its last star, and the first character behind what that
        /// stands for.
        var last: (index: Int, position: Int)?
        while position < name.count {
            if index < pattern.count, pattern[index] == .star {
                index += 1
                last = (index, position)
            } else if index < pattern.count,
                pattern[index] == name[position] || pattern[index] == one
            {
                (index, position) = (index + 1, position + 1)
            } else if let star = last {
                (index, position) = (star.index, star.position + 1)
                last = (index, position)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == .star }
    }
}

extension UInt8 {
    fileprivate static let star = UInt8(ascii: "*")
    fileprivate static let comma = UInt8(ascii: ",")
}

/// What a token is good for. The store keeps the terms beside the token's hash.
package struct TokenTerms: Equatable, Sendable, Confidential {
    package let form: TopicToken.Form
    package let pattern: TopicPattern
    package let rights: TopicRights
    /// In seconds since 1970; nil for a token that does not end by itself.
    package let end: Int64?

    package init(
        _ form: TopicToken.Form, _ pattern: TopicPattern, _ rights: TopicRights = .usual,
        end: Int64? = nil
    ) {
        (self.form, self.pattern, self.rights, self.end) = (form, pattern, rights, end)
    }

    package func isOver(at now: Int64) -> Bool { end.map { $0 <= now } ?? false }

    /// The terms of a token that the bearer of this one makes: the same pattern, and rights and end
    /// as asked for, but never more than these. Nil if no right would be left; an application's
    /// token makes none.
    package func child(
        _ form: TopicToken.Form, _ asked: TopicRights, end latest: Int64?
    ) -> TokenTerms? {
        let rights = rights.intersection(asked)
        guard self.form != .application, !rights.isEmpty else { return nil }
        let end = [end, latest].compactMap { $0 }.min()
        return TokenTerms(form, pattern, rights, end: end)
    }

    package func ending(at end: Int64?) -> TokenTerms {
        TokenTerms(form, pattern, rights, end: end)
    }

    /// Whether it may do that with topics that its pattern names.
    func allows(_ use: TopicUse) -> Bool {
        switch use {
        case .publish: rights.contains(.write)
        // An application only publishes.
        case .read: rights.contains(.read) && form != .application
        case .end: !rights.isDisjoint(with: [.write, .end])
        case .answer: rights.contains(.answer)
        case .manage: false
        }
    }

    /// Whether a new topic of that name may be made with it.
    func makes(_ name: TopicName) -> Bool {
        form != .application && allows(.publish) && pattern.foresees(name)
    }
}
