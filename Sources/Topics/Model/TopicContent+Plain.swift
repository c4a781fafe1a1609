import Base
import Notifications

extension TopicMessage {
    /// The payload that the engine of a topic gets, in the JSON of the dialect `plain`.
    package var plainPayload: [UInt8] {
        var writer = JSONWriter(capacity: min(content.text.utf8.count, 4_096) + 256)
        writer.object { writer in
            content.write(to: &writer)
            // A later state of something changes in place what is shown of it.
            if sequence != id.text { writer.member("sequence_id", sequence) }
        }
        return writer.bytes
    }
}

extension TopicContent {
    /// Nobody reads more on a screen, and the engine keeps what it shows.
    private static let shownLimit = 4_096

    fileprivate func write(to writer: inout JSONWriter) {
        if !title.isEmpty { writer.member("title", title) }
        writer.member("message", SenderFields.cut(Array(text.utf8), Self.shownLimit))
        if ntfyPriority > 0 { writer.member("priority", ntfyPriority) }
        if !tags.isEmpty {
            writer.name("tags")
            writer.array { writer in tags.forEach { writer.string($0) } }
        }
        if !click.isEmpty { writer.member("click", click) }
    }
}
