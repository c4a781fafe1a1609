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

/// Which topics of its owner a token opens: a name in which each `*` stands for any characters, or
/// none.
package struct TopicPattern: Hashable, Sendable, Confidential {
    /// Without two stars in a row.
    package let text: String

    package static let longest = TopicName.longest

    /// Nil for a pattern that no name could match, or that is too long.
    package init?(_ text: some StringProtocol) {
        guard (1...Self.longest).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isWordCharacter || $0 == .star })
        else { return nil }
        var bytes: [UInt8] = []
        for byte in text.utf8 where byte != .star || bytes.last != .star { bytes.append(byte) }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// It names any number of topics, also of those to come.
    package var isOpenEnded: Bool { text.utf8.contains(.star) }

    /// Only the last star is ever tried again, so there are at most as many steps as the product of
    /// both lengths.
    package func matches(_ name: TopicName) -> Bool {
        let (pattern, name) = (Array(text.utf8), Array(name.text.utf8))
        var (index, position) = (0, 0)
        /// Where the pattern goes on after its last star, and the first character behind what that
        /// stands for.
        var last: (index: Int, position: Int)?
        while position < name.count {
            if index < pattern.count, pattern[index] == .star {
                index += 1
                last = (index, position)
            } else if index < pattern.count, pattern[index] == name[position] {
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
        form != .application && allows(.publish) && pattern.isOpenEnded && pattern.matches(name)
    }
}
