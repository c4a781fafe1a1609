package import Base

/// The id of a message of a topic, as its readers know it: 12 letters and digits, because readers
/// tell an id from a time by this form.
package struct TopicMessageID: Hashable, Sendable {
    package let text: String

    package static let length = 12
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Nil for anything of another form.
    package init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.count == Self.length, bytes.allSatisfy(Self.letters.contains) else {
            return nil
        }
        self.text = String(text)
    }

    /// The number by which the store finds it: 63 random bits.
    package init(number: UInt64) {
        var rest = number & (.max >> 1)
        var text: [UInt8] = []
        for _ in 0..<Self.length {
            text.append(Self.letters[Int(rest % 62)])
            rest /= 62
        }
        self.text = String(decoding: text.reversed(), as: UTF8.self)
    }

    /// Nil for an id that no server has made.
    package var number: UInt64? {
        var number: UInt64 = 0
        for letter in text.utf8 {
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 62)
            guard !isTooLarge, let digit = Self.letters.firstIndex(of: letter) else { return nil }
            let (sum, isLarger) = product.addingReportingOverflow(UInt64(digit))
            guard !isLarger else { return nil }
            number = sum
        }
        return number <= .max >> 1 ? number : nil
    }

    /// The number of any id. Those of other servers have more bits, and lose some, so that nearly
    /// none of them is the id of its number; but whoever asks by one of them finds that number again.
    package var folded: UInt64 {
        text.utf8.reduce(0) { number, letter in
            number &* 62 &+ UInt64(Self.letters.firstIndex(of: letter) ?? 0)
        } & (.max >> 1)
    }
}

/// One message of a topic, or the event that ends what an earlier one showed.
package struct TopicMessage: Equatable, Sendable, Confidential {
    package enum Kind: UInt8, Sendable {
        case message = 0
        /// What has its sequence is gone.
        case delete = 1
        /// What has its sequence was read.
        case clear = 2
        /// Its sequence is the id of a message that its readers fetch from another server.
        case poll = 3
        /// Its owner has closed what has its sequence. Only the owner is told, as of a clear event.
        case dismissal = 4
    }

    package let id: TopicMessageID
    package var kind: Kind
    /// Messages with the same one are states of one thing. It is a message's own id, unless its
    /// sender named another.
    package var sequence: String
    /// Seconds since 1970; of a scheduled message, when it is due.
    package var time: Int64
    /// When its history ends, in seconds since 1970; nil if it is not kept.
    package var expires: Int64?
    package var content: TopicContent

    package init(
        id: TopicMessageID, _ kind: Kind = .message, sequence: String? = nil, time: Int64,
        expires: Int64? = nil, _ content: TopicContent = TopicContent()
    ) {
        self.id = id
        self.kind = kind
        self.sequence = sequence ?? id.text
        self.time = time
        self.expires = expires
        self.content = content
    }

    /// `lifetime`: for how many seconds after its time it is kept; 0 for not at all.
    package init(
        id: TopicMessageID, _ kind: Kind = .message, sequence: String? = nil, time: Int64,
        keptFor lifetime: UInt32, _ content: TopicContent = TopicContent()
    ) {
        self.init(
            id: id, kind, sequence: sequence, time: time,
            expires: lifetime == 0 ? nil : time + Int64(lifetime), content)
    }
}

/// What a message of a topic says and how it is shown.
package struct TopicContent: Equatable, Sendable, Confidential {
    package var title = ""
    package var text = ""
    /// From 1 (lowest) to 5; 0 if the sender did not say, or said it in Gotify's way.
    package var priority: UInt8 = 0
    package var tags: [String] = []
    package var click = ""
    package var icon = ""
    package var actions: [TopicAction] = []
    package var attachment: TopicAttachment?
    package var isMarkdown = false
    /// The text is base64 of bytes that are no text.
    package var isBase64 = false
    /// The number of a Gotify sender, who may use any; nil for others.
    package var gotifyPriority: Int64?
    /// A JSON object that Gotify's readers get as it came; empty for none.
    package var extras = ""
    /// What it asks; nil for what only tells.
    package var question: TopicQuestion?
    /// Its sender has a credential of the topic's owner.
    package var isByOwner = false

    package init() {}
}

extension TopicContent: Coded {
    package static var blank: TopicContent { TopicContent() }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&title)
        coder.text(&text)
        coder.number(&priority)
        coder.require(priority <= 5)
        coder.list(&tags)
        coder.text(&click)
        coder.text(&icon)
        coder.list(&actions)
        coder.optional(&attachment)
        coder.flag(&isMarkdown)
        coder.flag(&isBase64)
        coder.optional(&gotifyPriority)
        coder.text(&extras)
        coder.optional(&question)
        coder.flag(&isByOwner)
    }
}

/// A file that came with a message, or a link to one.
package struct TopicAttachment: Equatable, Sendable, Confidential {
    package var name = ""
    package var url = ""
    /// Of a file that the server keeps; empty for a link.
    package var type = ""
    package var size: Int64 = 0
    /// In seconds since 1970; 0 for a link.
    package var expires: Int64 = 0

    package init() {}

    /// A link has the last part of its path as its name, unless its sender gave another.
    package init(link: String, named name: String = "") {
        url = link
        // What follows the scheme and the host.
        let path = link.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
        let last = path.last.flatMap { PercentEncoding.decoded($0.utf8) }
        self.name = Self.fileName(name.isEmpty ? String(decoding: last ?? [], as: UTF8.self) : name)
        if self.name.isEmpty { self.name = "attachment" }
    }

    /// The name under which readers may save the file: it leads to no other folder and looks like
    /// what it is. Empty if nothing is left of it.
    static func fileName(_ text: String) -> String {
        let last = text.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
        let name = Printable.onScreen(last ?? "", limit: longestName)[...].trimmed
        return name.allSatisfy { $0 == "." } ? "" : String(name)
    }

    /// In scalars.
    private static let longestName = 200
}

extension TopicAttachment: Coded {
    package static var blank: TopicAttachment { TopicAttachment() }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.text(&url)
        coder.text(&type)
        coder.number(&size)
        coder.number(&expires)
    }
}
