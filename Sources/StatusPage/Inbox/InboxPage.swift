import Base

/// The page with the messages: all of it without a script, and kept up to date by one.
package struct InboxPage: Sendable {
    private let inbox: Inbox
    private let frame: PageFrame

    package init(_ inbox: Inbox, _ frame: PageFrame) { (self.inbox, self.frame) = (inbox, frame) }

    package var html: [UInt8] {
        let newest: Markup =
            inbox.wish.before == nil
            ? "" : "<p><a href=\"\(address(before: nil))\">\(frame.say(.newest))</a></p>"
        return frame.page(
            frame.say(.messages),
            """
            \(frame.offline)\(filter)\(newest)
            <section aria-label="\(frame.say(.messages))">
            <div id="messages">\(messages)</div>
            </section>
            """, tab: .messages, live: live)
    }

    /// What the script asks for again and again. Only the newest page changes, and a search may cost
    /// too much for that.
    private var live: PageFrame.Live? {
        guard inbox.wish.before == nil, inbox.wish.words.isEmpty else { return nil }
        return PageFrame.Live(address: "/ui/messages" + query(before: nil), last: inbox.newest)
    }

    /// The answer to the script.
    package var changes: [UInt8] {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { writer in
            writer.member("last", Int(inbox.newest))
            writer.name("sections")
            writer.object { $0.member(text: "messages", messages.source) }
        }
        return writer.bytes
    }

    /// The answer to a script that has everything.
    package static var noChanges: [UInt8] { Array("{\"sections\":{}}".utf8) }

    private var messages: Markup {
        let items = inbox.items.map { InboxMessage($0, at: inbox.now, frame).markup }
        let older = inbox.next.map { next -> Markup in
            "<p id=\"older\"><a href=\"\(address(before: next))\" rel=\"next\">\(frame.say(.older))</a></p>"
        }
        let nothing: Markup = items.isEmpty ? "<p>\(frame.say(nothing))</p>" : ""
        return "\(items)\(nothing)\(older ?? "")"
    }

    private var nothing: Sentence {
        switch (inbox.wish, inbox.next) {
        case (let wish, nil) where !wish.words.isEmpty: .noneFound
        case (_, .some): .noneFoundSoFar
        case (let wish, nil) where wish.before != nil: .noMoreMessages
        case (let wish, nil) where !wish.topic.isEmpty: .noneInTopic
        default: inbox.topics.isEmpty ? .noMessages : .noneYet
        }
    }

    private var filter: Markup {
        let topics = inbox.topics.map { topic -> Markup in
            let mark: Markup = topic.id == inbox.wish.topic ? " selected" : ""
            return "<option value=\"\(topic.id)\"\(mark)>\(topic.name)</option>"
        }
        return """
            <form class="filter" role="search" action="/ui/">\
            <label>\(frame.say(.topic)) <select name="topic">\
            <option value="">\(frame.say(.allTopics))</option>\(topics)</select></label> \
            <label>\(frame.say(.words)) <input type="search" name="search" maxlength="64" \
            value="\(inbox.wish.words)"></label> \
            <button>\(frame.say(.search))</button></form>
            """
    }

    private func address(before: Int64?) -> String { "/ui/" + query(before: before) }

    private func query(before: Int64?) -> String {
        let wish = inbox.wish
        let items = [
            ("topic", wish.topic), ("search", wish.words), ("before", before.map { "\($0)" } ?? ""),
        ].filter { !$0.1.isEmpty }
        let pairs = items.map { "\($0)=\(PercentEncoding.encoded($1))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
