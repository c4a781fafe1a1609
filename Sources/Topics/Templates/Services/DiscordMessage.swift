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

    /// Nil if it has no text at all.
    static func content(of root: JSONNode) -> TopicContent? {
        var content = TopicContent()
        var lines = text(root["content"]).map { [$0] } ?? []
        for embed in (root["embeds"]?.elements ?? []).prefix(embedLimit) {
            add(embed, to: &content, &lines)
        }
        guard !lines.isEmpty || !content.title.isEmpty else { return nil }
        content.text = lines.joined(separator: "\n")
        content.name(sender: text(root["username"]))
        content.link(nil, icon: root["avatar_url"])
        for row in (root["components"]?.elements ?? []).prefix(fieldLimit) {
            for button in (row["components"]?.elements ?? []).prefix(fieldLimit) {
                content.addButton(text(button["label"]), to: button["url"])
            }
        }
        content.isMarkdown = true
        return content
    }

    /// The title of the first embed with one is the message's; others are lines.
    private static func add(
        _ embed: JSONNode, to content: inout TopicContent, _ lines: inout [String]
    ) {
        if let title = text(embed["title"]) ?? text(embed["author"]?["name"]) {
            if content.title.isEmpty { content.title = title } else { lines.append(title) }
        }
        if let description = text(embed["description"]) { lines.append(description) }
        for field in (embed["fields"]?.elements ?? []).prefix(fieldLimit) {
            let words = [text(field["name"]), text(field["value"])].compactMap { $0 }
            if !words.isEmpty { lines.append(words.joined(separator: ": ")) }
        }
        content.link(embed["url"], picture: embed["image"]?["url"])
        content.link(nil, picture: embed["thumbnail"]?["url"])
    }

    private static func text(_ node: JSONNode?) -> String? {
        guard let text = node?.text.map(GoText.trimmed), !text.isEmpty else { return nil }
        return text
    }
}
