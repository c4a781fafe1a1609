import Base

/// The page with the messages: all of it without a script, and kept up to date by one.
package struct InboxPage: Sendable {
    private let inbox: Inbox
    private let frame: PageFrame
    /// What the visitor has just done.
    private let done: String?

    package init(_ inbox: Inbox, _ frame: PageFrame, done: String? = nil) {
        (self.inbox, self.frame, self.done) = (inbox, frame, done)
    }

    package var html: [UInt8] {
        let newest: Markup =
            inbox.wish.before == nil
            ? "" : "<p><a href=\"\(address(before: nil))\">\(frame.say(.newest))</a></p>"
        return frame.page(
            frame.say(.messages),
            """
            \(notice)\(frame.offline)\(questionSection)\(filter)\(newest)
            <section aria-label="\(frame.say(.messages))">
            \(list)
            </section>
            """, tab: .messages, live: live, script: .inboxScript)
    }

    private var notice: Markup { DoneSentence.text(done, frame).map(frame.notice) ?? "" }

    private var questionSection: Markup {
        guard inbox.hasQuestions else { return "" }
        return """
            <section aria-label="\(frame.say(.questions))"><div id="questions">\(questions)</div>\
            </section>

            """
    }

    private var questions: Markup {
        let questions = inbox.questions.map { InboxQuestion($0, at: inbox.now, frame).markup }
        return "\(questions)"
    }

    /// One form around all messages: their buttons say what to do with which.
    private var list: Markup {
        let fields = Self.items(inbox.wish).map { name, value -> Markup in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        return frame.form(
            "/ui/messages",
            "\(fields)<div id=\"messages\">\(messages)</div><div id=\"more\"></div>",
            id: "list", attributes: copying)
    }

    /// What the script calls the button that it adds to each message.
    private var copying: Markup {
        " data-copy=\"\(frame.say(.copy))\" data-copied=\"\(frame.say(.isCopied))\""
    }

    /// What the script asks for again and again. Only the newest page changes, and a search may cost
    /// too much for that.
    private var live: PageFrame.Live? {
        guard inbox.wish.before == nil, inbox.wish.words.isEmpty else { return nil }
        return PageFrame.Live(
            address: "/ui/messages" + Self.query(inbox.wish), last: inbox.newest,
            stream: inbox.topics.isEmpty ? nil : "/ui/messages/stream")
    }

    /// The answer to the script.
    package var changes: [UInt8] {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { writer in
            writer.member("last", Int(inbox.newest))
            writer.name("sections")
            writer.object { writer in
                if inbox.hasQuestions { writer.member(text: "questions", questions.source) }
                writer.member(text: "messages", messages.source)
            }
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
        return "\(markAll)\(items)\(nothing)\(older ?? "")"
    }

    private var markAll: Markup {
        let unread = inbox.items.filter { !$0.isRead }.map { "\($0.position)" }
        guard unread.count > 1 else { return "" }
        return """
            <p id="all"><button name="read" value="\(unread.joined(separator: ","))">\
            \(frame.say(.markAllRead))</button></p>
            """
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

    private func address(before: Int64?) -> String {
        var wish = inbox.wish
        wish.before = before
        return "/ui/" + Self.query(wish)
    }

    /// `done` is what the visitor has just done.
    package static func query(_ wish: Inbox.Wish, done: String = "") -> String {
        let items = items(wish) + [("done", done)].filter { !$0.1.isEmpty }
        let pairs = items.map { "\($0)=\(PercentEncoding.encoded($1))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private static func items(_ wish: Inbox.Wish) -> [(String, String)] {
        [
            ("topic", wish.topic), ("search", wish.words),
            ("before", wish.before.map { "\($0)" } ?? ""),
        ].filter { !$0.1.isEmpty }
    }
}
