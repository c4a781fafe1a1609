import Base
import Notifications

/// Messages as incoming webhooks of Slack take them.
package enum SlackMessage {
    private static let members: Set = [
        "text", "attachments", "blocks", "username", "icon_emoji", "icon_url", "channel", "mrkdwn",
        "link_names", "unfurl_links", "unfurl_media", "thread_ts", "parse", "as_user",
    ]
    /// More are not shown.
    private static let partLimit = 20

    /// The text alone could be anybody's.
    static func isMarked(_ root: JSONNode) -> Bool {
        guard root.hasOnly(members) else { return false }
        let parts = (root["attachments"]?.elements ?? []) + (root["blocks"]?.elements ?? [])
        let names: [StaticString] = ["username", "channel", "icon_emoji", "icon_url"]
        return parts.isEmpty
            ? root["text"]?.text != nil && names.contains { root[$0]?.text != nil }
            : parts.allSatisfy { $0.kind == .object }
    }

    /// The body of a request to a webhook: JSON, or a form with JSON in its field `payload`.
    package static func content(of body: [UInt8]) throws(SlackRefusal) -> TopicContent {
        guard let root = JSONNode(json: FormBody.json(body) ?? body), root.kind == .object else {
            throw .invalidPayload
        }
        guard let content = content(of: root) else { throw .noText }
        return content
    }

    /// Nil if it has no text at all.
    static func content(of root: JSONNode) -> TopicContent? {
        var content = TopicContent()
        var lines = plain(root["text"]).map { [$0] } ?? []
        for part in (root["attachments"]?.elements ?? []).prefix(partLimit) {
            add(part, to: &content, &lines)
        }
        if lines.isEmpty, content.title.isEmpty { lines = blocks(root["blocks"]) }
        guard !lines.isEmpty || !content.title.isEmpty else { return nil }
        content.text = lines.joined(separator: "\n")
        if content.title.isEmpty { content.title = plain(root["username"]) ?? "" }
        return content
    }

    /// The title of the first attachment with one is the message's; others are lines.
    private static func add(
        _ part: JSONNode, to content: inout TopicContent, _ lines: inout [String]
    ) {
        let title = plain(part["title"])
        let texts = [plain(part["pretext"]), plain(part["text"])].compactMap { $0 }
        if let title, content.title.isEmpty {
            content.title = title
        } else if let title {
            lines.append(title)
        }
        lines += texts
        for field in (part["fields"]?.elements ?? []).prefix(partLimit) {
            let words = [plain(field["title"]), plain(field["value"])].compactMap { $0 }
            if !words.isEmpty { lines.append(words.joined(separator: ": ")) }
        }
        if title == nil, texts.isEmpty {
            let blocks = blocks(part["blocks"])
            // The fallback stands for the whole attachment.
            let isKnown = !blocks.isEmpty || !lines.isEmpty
            lines += isKnown ? blocks : [plain(part["fallback"])].compactMap { $0 }
        }
        content.link(part["title_link"], picture: part["image_url"])
    }

    private static func blocks(_ node: JSONNode?) -> [String] {
        var lines: [String] = []
        for block in (node?.elements ?? []).prefix(partLimit) {
            let fields = (block["fields"]?.elements ?? []).prefix(partLimit)
            lines += ([block["text"]].compactMap { $0 } + fields).compactMap { plain($0["text"]) }
        }
        return lines
    }

    private static func plain(_ node: JSONNode?) -> String? {
        guard let text = node?.text else { return nil }
        let plain = GoText.trimmed(SlackText.plain(text))
        return plain.isEmpty ? nil : plain
    }
}

/// Slack's way to write links, names and three characters.
enum SlackText {
    /// A longer one is no link.
    private static let longestLink = 4_096
    private static let entities = [("amp;", "&"), ("lt;", "<"), ("gt;", ">")]

    static func plain(_ text: String) -> String {
        let linked = text[...].filled(at: "<") { rest in
            guard let end = rest.prefix(longestLink).firstIndex(of: ">") else { return nil }
            let inside = rest[..<end]
            rest = rest[end...].dropFirst()
            return reference(inside)
        }
        return linked[...].filled(at: "&") { rest in
            guard let (name, sign) = entities.first(where: { rest.hasPrefix($0.0) }) else {
                return nil
            }
            rest = rest.dropFirst(name.count)
            return sign
        }
    }

    /// A link with its label, or a person, a channel or everybody.
    private static func reference(_ inside: Substring) -> String {
        let parts = inside.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let (target, label) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        switch target.first {
        case "@", "#":
            return target.prefix(1) + (label.isEmpty ? String(target.dropFirst()) : label)
        case "!": return label.isEmpty ? "@" + target.dropFirst() : label
        default: return label.isEmpty || label == target ? target : "\(label) (\(target))"
        }
    }
}

extension TopicContent {
    /// The first link and the first picture of a message in parts.
    mutating func link(_ node: JSONNode?, picture: JSONNode?) {
        if click.isEmpty, let link = node?.text, URLScheme.of(link) != nil { click = link }
        guard attachment == nil, let link = picture?.text,
            ["http", "https"].contains(URLScheme.of(link))
        else { return }
        var picture = TopicAttachment()
        (picture.name, picture.url) = ("picture", link)
        attachment = picture
    }
}

/// What a webhook of Slack answers, in plain text.
package enum SlackRefusal: String, Error, CaseIterable, Sendable {
    case invalidPayload = "invalid_payload"
    case noText = "no_text"
    case invalidToken = "invalid_token"
    case actionProhibited = "action_prohibited"
    case noService = "no_service"
    case channelIsArchived = "channel_is_archived"

    /// The whole answer to a message that was taken: senders compare it.
    package static let accepted = "ok"

    package var status: Int {
        switch self {
        case .invalidPayload, .noText: 400
        case .invalidToken, .actionProhibited: 403
        case .noService: 404
        case .channelIsArchived: 410
        }
    }
}
