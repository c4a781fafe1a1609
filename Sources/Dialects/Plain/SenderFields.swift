import Base

/// What the header fields of an unencrypted push say about its notification, in the names that
/// ntfy gave them.
package struct SenderFields: Sendable, Confidential {
    var title = ""
    var click = ""
    var tags: [String] = []
    /// 1 (lowest) to 5; nil if the sender did not say.
    var priority: Int64?
    /// The name of a repository's event; not about how it is shown.
    private(set) var event = ""

    /// Anything longer is not shown anyway.
    private static let textLimit = 1_024
    private static let clickLimit = 2_048
    private static let tagsLimit = 16
    private static let eventLimit = 40

    package init() {}

    var isEmpty: Bool { title.isEmpty && click.isEmpty && tags.isEmpty && priority == nil }

    /// Records one field of the request; of several with one name, the first counts. Names may begin
    /// with `X-`.
    package mutating func record(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        let isMarked =
            name.count > 2 && name[0].lowercased == UInt8(ascii: "x")
            && name[1] == UInt8(ascii: "-")
        let name = isMarked ? name.extracting(2..<name.count) : name
        switch name.count {
        case 4 where tags.isEmpty && name.equalsIgnoringCase("tags"): tags = Self.tags(value)
        case 5 where title.isEmpty && name.equalsIgnoringCase("title"):
            title = Self.text(value, limit: Self.textLimit)
        case 5 where click.isEmpty && name.equalsIgnoringCase("click"):
            // A link that was cut would lead elsewhere.
            if value.count <= Self.clickLimit { click = Self.text(value, limit: Self.clickLimit) }
        case 8 where priority == nil && name.equalsIgnoringCase("priority"):
            priority = Self.priority(value)
        // Forgejo and Gitea send GitHub's field as well as their own.
        case 12 where event.isEmpty && name.equalsIgnoringCase("github-event"),
            13 where event.isEmpty && name.equalsIgnoringCase("forgejo-event"),
            11 where event.isEmpty && name.equalsIgnoringCase("gitea-event"):
            event = Self.event(value)
        default: break
        }
    }

    /// Empty for anything but a word.
    private static func event(_ value: Span<UInt8>) -> String {
        guard value.count <= eventLimit else { return "" }
        for index in value.indices {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(value[index])
            guard isLetter || value[index] == UInt8(ascii: "_") else { return "" }
        }
        return String(decoding: value.array(value.indices), as: UTF8.self)
    }

    /// The text of a field, cut at a character. Bytes that are not UTF-8 are replaced.
    private static func text(_ value: Span<UInt8>, limit: Int) -> String {
        var end = min(value.count, limit)
        // The bytes after the first of a character begin with the bits 10.
        while end > 0, end < value.count, value[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: value.array(0..<end), as: UTF8.self)
    }

    private static func tags(_ value: Span<UInt8>) -> [String] {
        text(value, limit: textLimit).split(separator: ",").prefix(tagsLimit)
            .map { String($0.drop(while: \.isWhitespace)) }
            .map { String($0.prefix { !$0.isWhitespace }) }
            .filter { !$0.isEmpty }
    }

    /// Nil for other words, such as those of RFC 9218, which browsers send in a field of this name.
    private static func priority(_ value: Span<UInt8>) -> Int64? {
        guard (1...7).contains(value.count) else { return nil }
        return PlainDialect.priority(String(decoding: value.array(value.indices), as: UTF8.self))
    }
}
