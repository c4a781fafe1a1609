import Base
import Notifications

/// What the query of a webhook's address says.
package struct HookQuery: Sendable, Confidential {
    package private(set) var topic = ""
    /// The sender wants to see the message as Discord has it.
    package private(set) var waits = false

    package init() {}

    package mutating func record(_ query: Span<UInt8>) {
        for (name, value) in PercentEncoding.pairs(query) {
            switch String(decoding: name, as: UTF8.self) {
            case "topic": topic = String(decoding: value, as: UTF8.self)
            case "wait": waits = value == Array("true".utf8)
            default: break
            }
        }
    }
}

/// What a sender says to a webhook.
package struct HookMessage: Sendable, Confidential {
    package let publication: Publication
    /// The one that senders to Slack name; empty for others.
    package let channel: String

    /// The names that a form has for its JSON, and those of texts that need none.
    private static let payloads = ["payload", "payload_json"]
    private static let texts: Set = [
        "text", "content", "username", "channel", "avatar_url", "icon_url",
    ]

    /// No message is longer, but a file beside it may be.
    private static let jsonLimit = 1 << 20

    /// A body of JSON or any form. `event` is what a header field says about the event of a
    /// repository. Without `mayUpload`, files are left out.
    package init(
        _ form: HookRoute.Form, type: String, _ body: [UInt8], event: String, mayUpload: Bool
    ) throws(HookRefusal) {
        guard body.count <= Self.jsonLimit || MultipartForm.boundary(Array(type.utf8).span) != nil
        else { throw .tooLarge }
        guard let sent = SentForm(type: Array(type.utf8).span, body),
            let root = sent.root ?? Self.root(of: sent)
        else { throw .unreadable }
        let content =
            switch form {
            case .slack: SlackMessage.content(of: root)
            case .discord: DiscordMessage.content(of: root)
            case .github: KnownService.github.content(of: root, body, event: event)
            }
        let file = mayUpload ? sent.files.first : nil
        guard content != nil || file != nil else { throw .empty }
        do throws(NtfyRefusal) {
            publication = try Publication(content ?? TopicContent(), with: file)
        } catch { throw HookRefusal(error) }
        channel = form == .slack ? root["channel"]?.text ?? "" : ""
    }

    /// The JSON in a form, or what its texts are as JSON.
    private static func root(of sent: SentForm) -> JSONNode? {
        let fields = sent.pairs.filter { $0.value.count <= jsonLimit }
            .map { (String(decoding: $0.name, as: UTF8.self), $0.value) }
        if let payload = fields.first(where: { payloads.contains($0.0) }) {
            return JSONNode(json: payload.1).flatMap { $0.kind == .object ? $0 : nil }
        }
        let known = fields.filter { texts.contains($0.0) }
        guard !known.isEmpty || !sent.files.isEmpty else { return nil }
        return JSONNode(
            json: JSONWriter.object { writer in
                for (name, value) in known {
                    writer.member(text: name, String(decoding: value, as: UTF8.self))
                }
            })
    }
}

extension TopicMessage {
    /// As a webhook of Discord shows it to its sender, which is the token there. Numbers are texts.
    package func discordJSON(webhook: UInt32, named name: String) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", "\(id.number ?? 0)")
            writer.member("type", 0)
            writer.member("content", content.text)
            writer.member("channel_id", "\(webhook)")
            writer.member("webhook_id", "\(webhook)")
            writer.name("author")
            writer.object { writer in
                writer.member("id", "\(webhook)")
                writer.member("username", name)
                writer.member("discriminator", "0000")
                writer.member("bot", true)
                writer.member("avatar", json: "null")
            }
            writer.member("timestamp", CivilTime(secondsSince1970: time).rfc3339)
            writer.member("edited_timestamp", json: "null")
            for name: StaticString in ["tts", "mention_everyone", "pinned"] {
                writer.member(name, false)
            }
            for name: StaticString in [
                "mentions", "mention_roles", "attachments", "embeds", "components",
            ] {
                writer.member(name, json: "[]")
            }
            writer.member("flags", 0)
        }
    }
}
