import Base

/// Messages as webhooks of Discord take them.
package enum DiscordMessage {
    private static let members: Set = [
        "content", "username", "avatar_url", "tts", "embeds", "allowed_mentions", "components",
        "attachments", "flags", "thread_name", "applied_tags", "poll",
    ]
    private static let embedLimit = 10
    private static let fieldLimit = 25

    /// The content alone could be anybody's.
    static func isMarked(_ root: JSONNode) -> Bool {
        guard root.hasOnly(members) else { return false }
        let embeds = root["embeds"]?.elements ?? []
        let names: [StaticString] = ["username", "avatar_url"]
        return embeds.isEmpty
            ? root["content"]?.text != nil && names.contains { root[$0]?.text != nil }
            : embeds.allSatisfy { $0.kind == .object }
    }

    /// The body of a request to a webhook, or the field `payload_json` of a form.
    package static func content(of body: [UInt8]) throws(DiscordRefusal) -> TopicContent {
        guard let root = JSONNode(json: body), root.kind == .object else { throw .invalidJSON }
        guard let content = content(of: root) else { throw .empty }
        return content
    }

    /// Nil if it has no text at all.
    static func content(of root: JSONNode) -> TopicContent? {
        var content = TopicContent()
        var lines = text(root["content"]).map { [$0] } ?? []
        for embed in (root["embeds"]?.elements ?? []).prefix(embedLimit) {
            if let title = text(embed["title"]) ?? text(embed["author"]?["name"]) {
                if content.title.isEmpty { content.title = title } else { lines.append(title) }
            }
            if let description = text(embed["description"]) { lines.append(description) }
            for field in (embed["fields"]?.elements ?? []).prefix(fieldLimit) {
                let words = [text(field["name"]), text(field["value"])].compactMap { $0 }
                if !words.isEmpty { lines.append(words.joined(separator: ": ")) }
            }
            content.link(embed["url"], picture: embed["image"]?["url"])
        }
        guard !lines.isEmpty || !content.title.isEmpty else { return nil }
        content.text = lines.joined(separator: "\n")
        if content.title.isEmpty { content.title = text(root["username"]) ?? "" }
        content.isMarkdown = true
        return content
    }

    private static func text(_ node: JSONNode?) -> String? {
        guard let text = node?.text.map(GoText.trimmed), !text.isEmpty else { return nil }
        return text
    }
}

/// What a webhook of Discord answers, as JSON. A message that was taken has 204 and no body.
package enum DiscordRefusal: Error, CaseIterable, Sendable {
    case empty, invalidJSON, unknownWebhook, invalidToken, tooManyRequests

    package var status: Int {
        switch self {
        case .empty, .invalidJSON: 400
        case .invalidToken: 401
        case .unknownWebhook: 404
        case .tooManyRequests: 429
        }
    }

    /// The number of Discord's own, and what it means.
    private var reason: (code: Int, message: String) {
        switch self {
        case .empty: (50006, "the message is empty")
        case .invalidJSON: (50109, "the body is not valid JSON")
        case .unknownWebhook: (10015, "unknown webhook")
        case .invalidToken: (50027, "invalid webhook token")
        case .tooManyRequests: (0, "too many requests")
        }
    }

    /// `retryAfter` in seconds, with too many requests.
    package func json(retryAfter: Int = 1) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("code", reason.code)
            writer.member("message", reason.message)
            if self == .tooManyRequests { writer.member("retry_after", retryAfter) }
        }
        return writer.bytes
    }
}
