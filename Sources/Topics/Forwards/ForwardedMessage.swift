package import Base
import Notifications

/// A message of a topic on its way to a push service of others.
///
/// It waits in the outbox in this form. What its receiver gets is made for each attempt.
package struct ForwardedMessage: Equatable, Sendable, Confidential {
    package private(set) var message: TopicMessage
    /// What its owner calls the topic.
    package private(set) var topic: String
    /// Where it came from; nil if it is of this server.
    package private(set) var origin: ForwardOrigin?
    /// The code that confirms a new forward; empty in all but its introduction.
    package private(set) var code: String

    /// No receiver gets as much.
    private static let longestText = 4_096

    package init(
        _ message: TopicMessage, named topic: String, from origin: ForwardOrigin? = nil,
        code: String = ""
    ) {
        var kept = message
        // Of these, nothing is sent.
        (kept.content.extras, kept.content.question) = ("", nil)
        if message.content.text.utf8.count > Self.longestText {
            let text = SenderFields.cut(Array(message.content.text.utf8), Self.longestText)
            // A part of base64 is another text.
            kept.content.text = message.content.isBase64 ? "" : text
        }
        (self.message, self.topic, self.origin, self.code) = (kept, topic, origin, code)
    }
}

extension ForwardedMessage: Coded {
    package static var blank: ForwardedMessage {
        ForwardedMessage(TopicMessage(id: TopicMessageID(number: 0), time: 0), named: "")
    }

    package mutating func code(_ coder: inout Coder) {
        var (id, sequence) = (message.id.text, message.sequence)
        var (time, expires, content) = (message.time, message.expires, message.content)
        coder.text(&id)
        coder.text(&sequence)
        coder.number(&time)
        coder.optional(&expires)
        content.code(&coder)
        coder.text(&topic)
        coder.optional(&origin)
        coder.text(&code)
        guard coder.isReading else { return }
        guard let known = TopicMessageID(id) else { return coder.require(false) }
        message = TopicMessage(
            id: known, sequence: sequence, time: time, expires: expires, content)
    }
}

/// Where a forwarded message came from first. It says so to each server that it comes to, so that it
/// does not go in a circle.
package struct ForwardOrigin: Equatable, Sendable, Confidential {
    /// How often a message is forwarded at most.
    package static let mostHops: UInt8 = 2
    private static let longestName = 64

    /// What stands for the server where the message came in.
    package private(set) var server = ""
    /// The message there.
    package private(set) var id = ""
    package private(set) var hops: UInt8 = 0

    package init(server: String, id: String, hops: UInt8) {
        (self.server, self.id, self.hops) = (server, id, hops)
    }

    /// Nil for a payload that no forward has sent.
    package init?(payload: [UInt8]) {
        guard payload.first == UInt8(ascii: "{"),
            let node = JSONNode(json: payload)?["forwarded"],
            let server = node["server"]?.text, let id = node["id"]?.text,
            let hops = node["hops"]?.integer, (1...Int64(UInt8.max)).contains(hops),
            (1...Self.longestName).contains(server.utf8.count),
            (1...Self.longestName).contains(id.utf8.count)
        else { return nil }
        self.init(server: server, id: id, hops: UInt8(hops))
    }

    package var mayGoOn: Bool { hops < Self.mostHops }
}

extension ForwardOrigin: Coded {
    package static var blank: ForwardOrigin { ForwardOrigin(server: "", id: "", hops: 0) }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&server)
        coder.text(&id)
        coder.number(&hops)
    }
}
