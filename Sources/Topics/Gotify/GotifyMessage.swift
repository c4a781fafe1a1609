package import Base

/// A value that Gotify's clients read as a JSON object.
package protocol GotifyAnswer {
    func members(_ writer: inout JSONWriter)
}

extension GotifyAnswer {
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }
}

extension Array where Element: GotifyAnswer {
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.array(objects)
        return writer.bytes
    }

    fileprivate func objects(_ writer: inout JSONWriter) {
        for element in self { writer.object(element.members) }
    }
}

/// A message of a topic, as Gotify's clients know it.
package struct GotifyMessage: GotifyAnswer, Sendable, Confidential {
    /// It grows from message to message of an owner.
    package let id: Int64
    private let message: TopicMessage
    private let application: Int64
    private let applicationName: String

    /// Nil for an event, of which Gotify has none.
    package init?(
        _ message: TopicMessage, id: Int64, application: Int64, named applicationName: String
    ) {
        guard message.kind == .message else { return nil }
        (self.id, self.message) = (id, message)
        (self.application, self.applicationName) = (application, applicationName)
    }

    /// Clients fail if a title is missing or null.
    package func members(_ writer: inout JSONWriter) {
        let content = message.content
        writer.member("id", Int(id))
        writer.member("appid", Int(application))
        writer.member("message", content.text)
        writer.member("title", content.title.isEmpty ? applicationName : content.title)
        writer.member("priority", Int(content.gotifyPriority ?? Self.number(content.priority)))
        writer.member("date", GotifyDate.text(message.time))
        if !content.extras.isEmpty {
            writer.member("extras", json: content.extras)
        } else {
            extras(of: content, &writer)
        }
    }

    /// Of a priority from 1 to 5, by which Gotify's application is as loud as ntfy's. One that was
    /// not said is 3.
    static func number(_ priority: UInt8) -> Int64 {
        switch priority {
        case 1: 0
        case 2: 2
        case 4: 8
        case 5: 10
        default: 5
        }
    }

    /// What a sender of ntfy said, in the extras that clients know.
    private func extras(of content: TopicContent, _ writer: inout JSONWriter) {
        let file = content.attachment
        let picture = file?.isPicture == true ? file?.url ?? "" : ""
        // Gotify has no files, so a press leads to the file.
        let click = content.click.isEmpty ? file?.url ?? "" : content.click
        guard content.isMarkdown || !click.isEmpty else { return }
        writer.name("extras")
        writer.object { writer in
            if content.isMarkdown {
                writer.name("client::display")
                writer.object { $0.member("contentType", "text/markdown") }
            }
            guard !click.isEmpty else { return }
            writer.name("client::notification")
            writer.object { writer in
                writer.name("click")
                writer.object { $0.member("url", click) }
                if !picture.isEmpty { writer.member("bigImageUrl", picture) }
            }
        }
    }
}

extension TopicAttachment {
    /// By its type, or, for a link, by its name.
    fileprivate var isPicture: Bool {
        guard type.isEmpty else { return type.hasPrefix("image/") }
        let name = name.lowercased()
        return [".png", ".jpg", ".jpeg", ".gif", ".webp"].contains { name.hasSuffix($0) }
    }
}

/// A time as Gotify's clients read it: RFC 3339 with a fraction and an offset.
enum GotifyDate {
    static func text(_ seconds: Int64) -> String {
        CivilTime(secondsSince1970: seconds).rfc3339.dropLast() + ".000000+00:00"
    }
}

/// One page of messages, newest first.
package struct GotifyMessages: GotifyAnswer, Sendable, Confidential {
    private let page: GotifyPage
    private let path: String
    private let messages: [GotifyMessage]
    private let hasMore: Bool

    /// `path`: that of the list, under which the next page is found. `hasMore`: there are older
    /// messages than these.
    package init(
        _ page: GotifyPage, of path: String, _ messages: [GotifyMessage], hasMore: Bool
    ) {
        (self.page, self.path) = (page, path)
        (self.messages, self.hasMore) = (messages, hasMore)
    }

    package func members(_ writer: inout JSONWriter) {
        let last = hasMore ? messages.last?.id ?? 0 : 0
        writer.name("paging")
        writer.object { writer in
            writer.member("size", messages.count)
            writer.member("limit", Int(page.limit))
            writer.member("since", Int(last))
            if last > 0 { writer.member("next", "\(path)?limit=\(page.limit)&since=\(last)") }
        }
        writer.name("messages")
        writer.array(messages.objects)
    }
}
