package import Base

/// What ntfy's readers are told, and senders as the answer: one JSON object without line breaks.
///
/// Readers ignore members that they do not know, but some fail on an event that they do not know, or
/// on a priority of 0. So there are no other events than ntfy's.
package enum NtfyJSON {
    /// An event of a stream that is about no message.
    package enum StreamEvent: String, Sendable {
        case open
        case keepalive
    }

    /// `topics` are the names as the reader gave them, with commas.
    package static func event(
        _ event: StreamEvent, _ id: TopicMessageID, time: Int64, topics: String
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id.text)
            writer.member("time", Int(time))
            writer.member("event", event.rawValue)
            writer.member("topic", topics)
        }
        return writer.bytes
    }

    /// With `isOnWebSocket` the sequence is always named, as ntfy does there; elsewhere only if it is
    /// not the message's own.
    package static func message(
        _ message: TopicMessage, topic: TopicName, isOnWebSocket: Bool = false
    ) -> [UInt8] {
        self.message(message, named: topic.text, isOnWebSocket: isOnWebSocket)
    }

    /// `topic` is what its owner calls it, which need not be a name in an address. Only the owner is
    /// told of a message that somebody has closed or cleared.
    package static func message(
        _ message: TopicMessage, named topic: String, isOnWebSocket: Bool = false,
        isCleared: Bool = false
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: message.content.text.utf8.count + 256)
        writer.object { writer in
            write(message, named: topic, isOnWebSocket: isOnWebSocket, to: &writer)
            if isCleared { writer.member("cleared", true) }
        }
        return writer.bytes
    }

    /// Writes the members of the object.
    package static func write(
        _ message: TopicMessage, named topic: String? = nil, isOnWebSocket: Bool = false,
        to writer: inout JSONWriter
    ) {
        writer.member("id", message.id.text)
        if message.kind == .poll {
            writer.member("poll_id", message.sequence)
        } else if isOnWebSocket || message.sequence != message.id.text {
            writer.member("sequence_id", message.sequence)
        }
        writer.member("time", Int(message.time))
        if let expires = message.expires { writer.member("expires", Int(expires)) }
        writer.member("event", message.kind.event)
        if let topic { writer.member("topic", topic) }
        writer.members(of: message.content)
    }
}

extension TopicMessage.Kind {
    /// Its name in ntfy's language.
    package var event: String {
        switch self {
        case .message: "message"
        case .delete: "message_delete"
        case .clear, .dismissal: "message_clear"
        case .poll: "poll_request"
        }
    }
}

extension TopicContent {
    /// The priority from 1 to 5 of a message that a Gotify sender may have sent with any number; 0
    /// for none. Gotify's application makes no sound up to 0, and is loud from 8 on. But 0 is also
    /// what a sender gets who says nothing, so it means nothing here.
    package var ntfyPriority: Int {
        guard let gotifyPriority else { return Int(priority) }
        return switch gotifyPriority {
        case ..<0: 1
        case 0: 0
        case 1...3: 2
        case 4...7: 3
        case 8...9: 4
        default: 5
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of content: TopicContent) {
        filled("title", content.title)
        filled("message", content.text)
        if content.ntfyPriority > 0 { member("priority", content.ntfyPriority) }
        if !content.tags.isEmpty {
            name("tags")
            array { writer in content.tags.forEach { writer.string($0) } }
        }
        filled("click", content.click)
        filled("icon", content.icon)
        if !content.actions.isEmpty {
            name("actions")
            array { writer in
                for var action in content.actions {
                    writer.object { $0.fields { action.fields(&$0) } }
                }
            }
        }
        if let attachment = content.attachment {
            name("attachment")
            object { $0.members(of: attachment) }
        }
        if content.isMarkdown { member("content_type", "text/markdown") }
        if content.isBase64 { member("encoding", "base64") }
    }

    private mutating func members(of attachment: TopicAttachment) {
        member("name", attachment.name)
        filled("type", attachment.type)
        if attachment.size > 0 { member("size", Int(attachment.size)) }
        if attachment.expires > 0 { member("expires", Int(attachment.expires)) }
        member("url", attachment.url)
    }

    /// Left out if it is empty.
    private mutating func filled(_ name: StaticString, _ value: String) {
        if !value.isEmpty { member(name, value) }
    }
}
