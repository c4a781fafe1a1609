import Base
import Topics

/// One message on the page.
struct InboxMessage {
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
    private var title: String { content.pageTitle(in: item.topic) }
    private var id: String { "m-\(message.id.text)" }

    var markup: Markup {
        """
        <article class="message" id="\(id)" data-at="\(Int(item.position))">\
        <h2 dir="auto">\(title)</h2>\
        <p class="facts">\(facts)</p>\(text)\(picture)\(ways)\(marks)</article>

        """
    }

    /// They belong to the form around all messages. Not each browser that shows pages knows buttons
    /// that name another form.
    private var marks: Markup {
        let position = Int(item.position)
        let (step, label): (String, Sentence) =
            item.isRead ? ("unread", .markUnread) : ("read", .markRead)
        return """
            <div class="actions"><button id="mark-\(position)" name="\(step)" value="\(position)">\
            \(frame.label(label, of: title))</button> \
            <details><summary id="delete-\(position)">\(frame.label(.delete, of: title))</summary>\
            <button class="danger" name="delete" value="\(position)">\(frame.say(.reallyDelete))\
            </button></details></div>
            """
    }

    private var facts: Markup {
        var parts: [Markup] = [frame.time(Int(message.time), from: now)]
        if !item.isRead { parts.append("<strong>\(frame.say(.isUnread))</strong>") }
        let place = "/ui/?topic=" + PercentEncoding.encoded(item.topicID)
        parts.append("<a href=\"\(place)\"><bdi>\(item.topic)</bdi></a>")
        switch content.ntfyPriority {
        case 5: parts.append("<span class=\"bad\">\(frame.say(.urgent))</span>")
        case 4: parts.append("<span class=\"bad\">\(frame.say(.high))</span>")
        default: break
        }
        parts += content.tags.map { "<bdi>\($0)</bdi>" }
        let rest = parts.dropFirst().map { part -> Markup in " · \(part)" }
        return "\(parts[0])\(rest)"
    }

    private var text: Markup {
        guard !content.isBase64 else {
            let size = ByteCount.text(content.text.utf8.count / 4 * 3)
            return "<p class=\"facts\">\(frame.say(.dataOfSize, size))</p>"
        }
        let shown = content.pageText
        guard !shown.isEmpty else { return "" }
        let text =
            content.isMarkdown
            ? Markup(trusted: MarkdownText(shown).markup(hasLinks: true)) : Markup(lines: shown)
        return "<div class=\"text\" dir=\"auto\">\(text)</div>"
    }

    private var picture: Markup {
        guard item.hasPicture else { return "" }
        return """
            <img src="/ui/messages/\(message.id.text)/picture" loading="lazy" \
            alt="\(frame.say(.pictureOf, title))">
            """
    }

    /// Where the message leads, and what its buttons do, with the hosts that they ask.
    private var ways: Markup {
        var ways: [Markup] = []
        if !content.click.isEmpty { ways.append(link(frame.say(.open), content.click)) }
        if let attachment = content.attachment {
            let size = attachment.size > 0 ? ", \(ByteCount.text(Int(attachment.size)))" : ""
            ways.append(link(attachment.name + size, attachment.url))
        }
        for action in content.actions {
            switch action.kind {
            case .view: ways.append(link(action.label, action.url))
            case .copy:
                let value = TopicContent.pageText(action.value)
                ways.append("<bdi>\(action.label)</bdi>: <code>\(Markup(lines: value))</code>")
            case .http:
                guard let host = item.hosts[action.id] else { continue }
                let value = "\(message.id.text).\(action.id)"
                ways.append(
                    """
                    <button name="press" value="\(value)"><bdi>\(action.label)</bdi>\
                    <span class="unseen">: \(title)</span> (<bdi>\(host)</bdi>)</button>
                    """)
            // Other programs of a phone are told.
            case .broadcast: break
            }
        }
        guard !ways.isEmpty else { return "" }
        return "<ul class=\"ways\">\(ways.map { "<li>\($0)</li>" as Markup })</ul>"
    }

    /// Says where it leads, whatever its sender calls it. What a browser must not open is text.
    private func link(_ label: String, _ url: String) -> Markup {
        guard Self.isOpened(url) else { return "<bdi>\(label)</bdi>: <code>\(url)</code>" }
        let place = HiddenHost.behind(label, url).map { " (\($0))" } ?? ""
        return """
            <a href="\(url)" rel="noopener noreferrer nofollow"><bdi>\(label)</bdi>\
            <span class="unseen">: \(title)</span>\(place)</a>
            """
    }

    /// Of visible ASCII, and of the one form in which every reader finds the same host.
    private static func isOpened(_ url: String) -> Bool {
        guard let scheme = URLScheme.of(url), schemes.contains(scheme),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let rest = url.dropFirst(scheme.count + 1)
        return !scheme.hasPrefix("http") || rest.hasPrefix("//") && !rest.hasPrefix("///")
    }
}

extension Markup {
    /// A text whose lines stay apart: an interpolation would write an escape for their ends.
    init(lines text: String) { self.init(trusted: Printable.markup(text)) }
}

/// What the page shows of a message. What is longer is read elsewhere, so that a page with many of them
/// stays one.
extension TopicContent {
    private static let (titleLimit, textLimit) = (256, 8_192)

    /// Without a title, what its topic is called stands there.
    func pageTitle(in topic: String) -> String {
        Printable.onScreen(title.isEmpty ? topic : title, limit: Self.titleLimit)
    }

    var pageText: String { Self.pageText(text) }

    static func pageText(_ text: String) -> String {
        Printable.onScreen(text, limit: textLimit, keepsLines: true)
    }
}
