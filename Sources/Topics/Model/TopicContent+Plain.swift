import Base
import Notifications

extension TopicContent {
    /// Nobody reads more on a screen, and the engine keeps what it shows.
    private static let shownLimit = 4_096

    /// The payload that the engine of a topic gets, in the JSON of the dialect `plain`.
    package var plainPayload: [UInt8] {
        let text = SenderFields.cut(Array(text.utf8), Self.shownLimit)
        var writer = JSONWriter(capacity: text.utf8.count + 256)
        writer.object { writer in
            if !title.isEmpty { writer.member("title", title) }
            writer.member("message", text)
            if ntfyPriority > 0 { writer.member("priority", ntfyPriority) }
            if !tags.isEmpty {
                writer.name("tags")
                writer.array { writer in tags.forEach { writer.string($0) } }
            }
            if !click.isEmpty { writer.member("click", click) }
        }
        return writer.bytes
    }
}
