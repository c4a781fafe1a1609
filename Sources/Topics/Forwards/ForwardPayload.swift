import Base

/// The form in which the receiver of a forward gets messages. It is stored as its number.
package enum ForwardForm: UInt8, CaseIterable, Sendable {
    /// ntfy's JSON, with what says where the message came from.
    case ntfy = 0
    /// Declarative Web Push, which browsers show by themselves or hand to the script of a page.
    case web = 1

    package var word: String {
        switch self {
        case .ntfy: "ntfy"
        case .web: "web"
        }
    }

    package init?(word: String) {
        guard let form = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = form
    }
}

/// What is encrypted for the receiver of a forward.
///
/// Push services take 4,096 bytes of body, which leaves less than 3,993 for it (RFC 8291 section 4).
/// Only the text is cut, and what stands beside it is left out where it leaves the text no room.
package struct ForwardPayload: Confidential {
    /// How much is sent, in bytes.
    package enum Size: Int, Sendable {
        /// Leaves room for what others add.
        case usual = 3_000
        /// For a push service that takes less than it should.
        case small = 800
    }

    private static let most = 3_992
    /// A text that is shorter is not worth the buttons beside it.
    private static let shortestText = 200

    let forwarded: ForwardedMessage
    /// What stands for this server in what it forwards.
    let server: String
    /// The page that a browser opens: a whole URL.
    let page: String

    package init(_ forwarded: ForwardedMessage, from server: String, opening page: String) {
        (self.forwarded, self.server, self.page) = (forwarded, server, page)
    }

    package func bytes(_ form: ForwardForm, _ size: Size) -> [UInt8] {
        func write(_ message: TopicMessage) -> [UInt8] {
            switch form {
            case .ntfy: ntfy(message)
            case .web: declarative(message)
            }
        }
        return Self.fitting(forwarded.message, size, write)
    }

    private static func fitting(
        _ message: TopicMessage, _ size: Size, _ write: (TopicMessage) -> [UInt8]
    ) -> [UInt8] {
        let whole = write(message)
        guard whole.count > size.rawValue else { return whole }
        var cut = message
        (cut.content.text, cut.content.isBase64) = ("", false)
        for leaveOut in extras where write(cut).count > size.rawValue - shortestText {
            leaveOut(&cut.content)
        }
        let bare = write(cut).count
        if bare > most {
            // A title of control characters, each of which takes six bytes.
            let length = ShortText.length(message.content.title)
            cut.content.title = ShortText.cut(message.content.title, to: length - (bare - most))
        }
        // A part of base64 is another text.
        if !message.content.isBase64 {
            let room = size.rawValue - write(cut).count - #","message":"""#.utf8.count
            cut.content.text = ShortText.cut(message.content.text, to: room)
        }
        return write(cut)
    }

    /// What a message has beside its words, the least important last.
    private static let extras: [@Sendable (inout TopicContent) -> Void] = [
        { $0.actions = [] }, { $0.icon = "" }, { $0.attachment = nil }, { $0.tags = [] },
        { $0.click = "" },
    ]

    private func ntfy(_ message: TopicMessage) -> [UInt8] {
        JSONWriter.object { writer in
            NtfyJSON.write(message, named: forwarded.topic, to: &writer)
            writeOrigin(to: &writer)
        }
    }

    /// Safari takes no part of a message if one member has another type than it expects, so only
    /// those are written that it and the W3C's draft know alike.
    private func declarative(_ message: TopicMessage) -> [UInt8] {
        let content = message.content
        return JSONWriter.object { writer in
            writer.member("web_push", 8_030)
            writer.name("notification")
            writer.object { writer in
                writer.member("title", content.title.isEmpty ? forwarded.topic : content.title)
                if !content.text.isEmpty, !content.isBase64 {
                    writer.member("body", content.text)
                }
                writer.member("navigate", page)
                writer.member("dir", "auto")
                writer.member("tag", message.sequence)
                writer.name("data")
                writer.object { writer in
                    writer.member("id", message.id.text)
                    writer.member("sequence_id", message.sequence)
                    writer.member("topic", forwarded.topic)
                    writer.member("time", Int(message.time))
                    if content.ntfyPriority > 0 {
                        writer.member("priority", content.ntfyPriority)
                    }
                    if !content.click.isEmpty { writer.member("click", content.click) }
                    writeOrigin(to: &writer)
                }
            }
        }
    }

    private func writeOrigin(to writer: inout JSONWriter) {
        if !forwarded.code.isEmpty { writer.member("code", forwarded.code) }
        let origin = forwarded.origin
        writer.name("forwarded")
        writer.object { writer in
            writer.member("server", origin?.server ?? server)
            writer.member("id", origin?.id ?? forwarded.message.id.text)
            writer.member("hops", Int(origin?.hops ?? 0) + 1)
        }
    }
}

/// A text in JSON, cut at a character.
enum ShortText {
    private static let ellipsis = "…"

    /// How many bytes the text takes, without its quotes.
    static func length(_ text: String) -> Int { JSONText.quoted(text).utf8.count - 2 }

    /// Empty if there is no room for any of it.
    static func cut(_ text: String, to room: Int) -> String {
        guard length(text) > room else { return text }
        var rest = room - ellipsis.utf8.count
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            rest -= length(String(text[end..<next]))
            guard rest >= 0 else { break }
            end = next
        }
        return end == text.startIndex ? "" : text[..<end] + ellipsis
    }
}
