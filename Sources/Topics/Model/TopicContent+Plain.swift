import Base

extension TopicContent {
    /// The payload that the engine of a topic gets, in the JSON of the dialect `plain`.
    package var plainPayload: [UInt8] {
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
