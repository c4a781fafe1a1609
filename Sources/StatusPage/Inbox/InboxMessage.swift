import Base
import Topics

/// One message on the page.
struct InboxMessage {
    private static let textLimit = 65_536
    /// What a browser may open, if somebody follows a link.
    private static let schemes = ["http", "https", "mailto", "tel"]

    private let item: Inbox.Item
    private let now: Int
    private let frame: PageFrame

    init(_ item: Inbox.Item, at now: Int, _ frame: PageFrame) {
        (self.item, self.now, self.frame) = (item, now, frame)
    }

    private var message: TopicMessage { item.message }
    private var content: TopicContent { item.message.content }
    private var title: String { content.title.isEmpty ? item.topic : content.title }

    var markup: Markup {
        """
        <article class="message"><h2 dir="auto">\(title)</h2>\
        <p class="facts">\(facts)</p>\(text)\(picture)\(ways)</article>

        """
    }

    private var facts: Markup {
        var parts: [Markup] = [frame.time(Int(message.time), from: now)]
        if !content.title.isEmpty { parts.append("<bdi>\(item.topic)</bdi>") }
        switch content.ntfyPriority {
        case 5: parts.append("<span class=\"bad\">\(frame.say(.urgent))</span>")
        case 4: parts.append("<span class=\"bad\">\(frame.say(.high))</span>")
        default: break
        }
        parts += content.tags.map { "<bdi>\($0)</bdi>" }
        if item.isClosed { parts.append("\(frame.say(.isClosed))") }
        let rest = parts.dropFirst().map { part -> Markup in " · \(part)" }
        return "\(parts[0])\(rest)"
    }

    private var text: Markup {
        guard !content.isBase64 else {
            let size = ByteCount.text(content.text.utf8.count / 4 * 3)
            return "<p class=\"facts\">\(frame.say(.dataOfSize, size))</p>"
        }
        let shown = Printable.onScreen(content.text, limit: Self.textLimit, keepsLines: true)
        guard !shown.isEmpty else { return "" }
        // Both have escaped everything but elements of their own; an interpolation would escape the
        // ends of lines.
        let source =
            content.isMarkdown
            ? MarkdownText(shown).markup(hasLinks: true) : Printable.markup(shown)
        return "<div class=\"text\" dir=\"auto\">\(Markup(trusted: source))</div>"
    }

    private var picture: Markup {
        guard item.hasPicture else { return "" }
        return """
            <img src="/ui/messages/\(message.id.text)/picture" loading="lazy" \
            alt="\(frame.say(.pictureOf, title))">
            """
    }

    /// Where the message leads. What sends a request is a matter of screens.
    private var ways: Markup {
        var ways: [Markup] = []
        ways += link(frame.say(.open), content.click)
        if let attachment = content.attachment {
            let size = attachment.size > 0 ? ", \(ByteCount.text(Int(attachment.size)))" : ""
            ways += link(attachment.name + size, attachment.url)
        }
        for action in content.actions {
            switch action.kind {
            case .view: ways += link(action.label, action.url)
            case .copy: ways.append("<bdi>\(action.label)</bdi>: <code>\(action.value)</code>")
            case .http, .broadcast: break
            }
        }
        guard !ways.isEmpty else { return "" }
        return "<ul class=\"ways\">\(ways.map { "<li>\($0)</li>" as Markup })</ul>"
    }

    /// Says where it leads, whatever its sender calls it; nothing for what a browser must not open.
    private func link(_ label: String, _ url: String) -> [Markup] {
        guard let scheme = URLScheme.of(url), Self.schemes.contains(scheme) else { return [] }
        let place = HiddenHost.behind(label, url).map { " (\($0))" } ?? ""
        return [
            """
            <a href="\(url)" rel="noopener noreferrer nofollow"><bdi>\(label)</bdi>\
            <span class="unseen">: \(title)</span>\(place)</a>
            """
        ]
    }
}
