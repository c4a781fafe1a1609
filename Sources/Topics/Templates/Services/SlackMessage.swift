import Base
import Notifications

/// Messages as incoming webhooks of Slack take them.
package enum SlackMessage {
    private static let members: Set = [
        "text", "attachments", "blocks", "username", "icon_emoji", "icon_url", "channel", "mrkdwn",
        "link_names", "unfurl_links", "unfurl_media", "thread_ts", "parse", "as_user",
    ]

    /// The text alone could be anybody's.
    static func isMarked(_ root: JSONNode) -> Bool {
        guard root.hasOnly(members) else { return false }
        let parts = (root["attachments"]?.elements ?? []) + (root["blocks"]?.elements ?? [])
        let names: [StaticString] = ["username", "channel", "icon_emoji", "icon_url"]
        return parts.isEmpty
            ? root["text"]?.text != nil && names.contains { root[$0]?.text != nil }
            : parts.allSatisfy { $0.kind == .object }
    }

    /// Nil if it has no text at all.
    static func content(of root: JSONNode) -> TopicContent? {
        var reading = SlackReading()
        reading.add(root["text"], isFormatted: root["mrkdwn"]?.bool ?? true)
        let hasText = reading.hasText
        for part in reading.parts(of: root["attachments"]) { reading.add(attachment: part) }
        // Beside a text, it is what notifications show in place of the blocks.
        reading.add(blocks: root["blocks"], asText: !hasText)
        return reading.content(from: root)
    }
}

/// A message as far as its parts were read.
private struct SlackReading {
    private var content = TopicContent()
    private var lines: [SlackText] = []

    /// More parts of a kind are not shown.
    private static let partLimit = 20
    private static let depthLimit = 4

    var hasText: Bool { !lines.isEmpty }

    func parts(of node: JSONNode?) -> ArraySlice<JSONNode> {
        (node?.elements ?? []).prefix(Self.partLimit)
    }

    mutating func add(_ node: JSONNode?, isFormatted: Bool = true) {
        guard let text = node?.text else { return }
        add(SlackText(text, isFormatted: isFormatted))
    }

    private mutating func add(_ line: SlackText) {
        if !line.isEmpty { lines.append(line) }
    }

    private func title(_ node: JSONNode?) -> String? {
        guard let title = node?.text.map({ SlackText($0).title }), !title.isEmpty else {
            return nil
        }
        return title
    }

    /// The title of the first part with one is the message's; others are lines.
    private mutating func add(title: String) {
        if content.title.isEmpty {
            content.title = title
        } else if content.title != title {
            add(SlackText(title, isFormatted: false))
        }
    }

    mutating func add(attachment part: JSONNode) {
        let before = lines.count
        let heading = title(part["title"]) ?? title(part["author_name"])
        if let heading { add(title: heading) }
        add(part["pretext"])
        add(part["text"])
        for field in parts(of: part["fields"]) {
            let words = [field["title"], field["value"]].compactMap { $0?.text }
            add(SlackText(words.filter { !$0.isEmpty }.joined(separator: ": ")))
        }
        add(blocks: part["blocks"], asText: heading == nil && lines.count == before)
        // The fallback stands for the whole attachment.
        if lines.isEmpty, content.title.isEmpty { add(part["fallback"]) }
        content.link(part["title_link"], picture: part["image_url"] ?? part["thumb_url"])
        for button in parts(of: part["actions"]) {
            content.addButton(title(button["text"]), to: button["url"])
        }
    }

    mutating func content(from root: JSONNode) -> TopicContent? {
        guard hasText || !content.title.isEmpty else { return nil }
        content.isMarkdown = lines.contains(where: \.needsMarkdown)
        let texts = lines.map { content.isMarkdown ? $0.markdown : $0.title }
        content.text = texts.joined(separator: "\n")
        content.name(sender: title(root["username"]))
        content.link(nil, icon: root["icon_url"])
        if content.click.isEmpty { content.click = lines.lazy.compactMap(\.link).first ?? "" }
        return content
    }
}

/// Blocks.
extension SlackReading {
    /// Titles, pictures and buttons are in them, too.
    mutating func add(blocks node: JSONNode?, asText: Bool) {
        for block in parts(of: node) {
            switch block["type"]?.text {
            case "header": if let title = title(block["text"]?["text"]) { add(title: title) }
            case "image":
                content.link(nil, picture: block["image_url"])
                if asText { add(block["title"]?["text"] ?? block["alt_text"]) }
            case "actions": parts(of: block["elements"]).forEach { add(element: $0) }
            case "rich_text" where asText: add(richText: block)
            default:
                if asText { add(section: block) }
                if let element = block["accessory"] { add(element: element) }
            }
        }
    }

    private mutating func add(section block: JSONNode) {
        add(object: block["text"])
        for text in parts(of: block["fields"]) + parts(of: block["elements"]) {
            add(object: text)
        }
    }

    /// A text with its kind.
    private mutating func add(object: JSONNode?) {
        add(object?["text"], isFormatted: object?["type"]?.text != "plain_text")
    }

    /// A button or a picture.
    private mutating func add(element: JSONNode) {
        content.link(nil, picture: element["image_url"])
        content.addButton(title(element["text"]?["text"]), to: element["url"])
    }

    /// Each of its parts is a line, and each of their parts has a style.
    private mutating func add(richText block: JSONNode) {
        for part in parts(of: block["elements"]) {
            for line in part["type"]?.text == "rich_text_list"
                ? parts(of: part["elements"]) : [part]
            {
                var text = SlackText()
                collect(line, into: &text)
                add(text)
            }
        }
    }

    private func collect(_ node: JSONNode, into text: inout SlackText, depth: Int = 0) {
        guard depth < Self.depthLimit else { return }
        let name = node["text"]?.text ?? node["name"]?.text ?? ""
        if let link = node["url"]?.text {
            text.append(label: name, target: link)
        } else {
            text.append(node["type"]?.text == "emoji" ? ":\(name):" : name)
        }
        for part in parts(of: node["elements"]) { collect(part, into: &text, depth: depth + 1) }
    }
}

/// What messages in parts have in common.
extension TopicContent {
    /// In bytes. A link that was cut would lead elsewhere.
    private static let (longestLink, longestLabel) = (4_096, 200)

    /// The first link and the first pictures of a message in parts.
    mutating func link(_ node: JSONNode?, picture: JSONNode? = nil, icon small: JSONNode? = nil) {
        if click.isEmpty, let link = Self.link(node), URLScheme.of(link) != nil { click = link }
        if icon.isEmpty, let link = Self.link(small), link.isWebAddress { icon = link }
        guard attachment == nil, let link = Self.link(picture), link.isWebAddress else { return }
        attachment = TopicAttachment(link: link)
    }

    mutating func addButton(_ label: String?, to node: JSONNode?) {
        guard actions.count < TopicAction.most, let label, let link = Self.link(node),
            link.isWebAddress
        else { return }
        var action = TopicAction()
        action.label = SenderFields.cut(Array(label.utf8), Self.longestLabel)
        action.url = link
        actions.append(action)
    }

    private static func link(_ node: JSONNode?) -> String? {
        node?.text.flatMap { $0.utf8.count <= longestLink ? $0 : nil }
    }

    /// A message of one line needs no title but its sender.
    mutating func name(sender: String?) {
        if text.isEmpty { (text, title) = (title, "") }
        if title.isEmpty { title = sender ?? "" }
    }
}
