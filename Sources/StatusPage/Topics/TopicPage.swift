import Base
import WebPush

/// One topic: what is known of it, and what its owner can do with it.
package struct TopicPage: Sendable {
    private let topic: OwnTopic
    private let quiet: TopicQuiet
    private let forms: TopicForms
    /// In seconds since 1970.
    private let now: Int
    private let frame: PageFrame
    private let done: String?

    /// `isFresh`: the visitor has signed in so recently that a token may be made.
    package init(
        _ topic: OwnTopic, _ quiet: TopicQuiet, isFresh: Bool, at now: Int, _ frame: PageFrame,
        done: String? = nil
    ) {
        (self.topic, self.quiet, self.now) = (topic, quiet, now)
        forms = TopicForms(topic, isFresh: isFresh, frame)
        self.frame = frame
        self.done = done
    }

    package var html: [UInt8] {
        let notice = DoneSentence.text(done, frame).map(frame.notice) ?? ""
        let description: Markup =
            topic.purpose.isEmpty ? "" : "<p dir=\"auto\">\(topic.purpose)</p>"
        return frame.page(
            topic.title,
            """
            <p><a href="/ui/topics">\(frame.say(.allOfTheTopics))</a></p>
            \(notice)\(refusal)\(description)\(facts)
            \(section("tokens", .tokens, tokens))
            \(section("send", .sendMessage, forms.message))
            \(section("quiet", .quiet, silence))
            \(section("settings", .settings, forms.settings))
            <p><a href="\(topic.place)/remove">\(frame.say(.removeTopic))</a></p>
            """, tab: .topics)
    }

    private func section(_ id: String, _ title: Sentence, _ contents: Markup) -> Markup {
        """
        <section aria-labelledby="title-\(id)"><h2 id="title-\(id)">\(frame.say(title))</h2>
        \(contents)</section>

        """
    }

    private var facts: Markup {
        let facts = TopicFacts(topic, frame)
        var rows: [(Sentence, Markup)] = [
            (
                .messages,
                "<a href=\"/ui/?topic=\(topic.id)\">\(facts.kept)</a>"
            )
        ]
        if let last = topic.last { rows.append((.lastMessage, frame.time(last, from: now))) }
        rows.append((.whoReachesIt, facts.reach))
        if let service = topic.service { rows.append((.heardService, "\(service)")) }
        if topic.isUnheard {
            rows.append((.screens, "<span class=\"bad\">\(frame.say(.nobodyListens))</span>"))
        }
        let lines = rows.map { "<dt>\(frame.say($0.0))</dt><dd>\($0.1)</dd>" as Markup }
        return "<dl>\(lines)</dl>\n\(addresses)"
    }

    /// What was last wrong, and why.
    private var refusal: Markup {
        guard let refusal = topic.refusal else { return "" }
        return """
            <p class="bad"><bdi>\(refusal.sender)</bdi> \(frame.say(.got, "\(refusal.status)")) \
            \(frame.time(refusal.time, from: now)): \
            \(frame.say(.refusedSender(refusal.reason)))</p>

            """
    }

    private var addresses: Markup {
        guard let address = topic.details.address else {
            return "<p>\(frame.say(.noShortAddress))</p>"
        }
        let needsNone = topic.details.isOpen || topic.details.isLocal
        let line = TokenAddresses.curl(to: address, with: needsNone ? nil : "TOKEN")
        return """
            <dl class="places">\(frame.copied(.address, address))\
            \(frame.copied(needsNone ? .pushLine : .pushLineWithToken, line))</dl>
            """
    }

    private var tokens: Markup {
        let rows = (topic.tokens ?? []).map { token -> [Markup] in
            let end = token.expires.map { frame.time($0, from: now) } ?? "\(frame.say(.neverEnds))"
            let used =
                token.lastSeen.map { frame.time($0, from: now) } ?? "\(frame.say(.neverUsed))"
            let mark: Markup =
                token.isConfirmed ? "" : " <span class=\"bad\">(\(frame.say(.notLetIn)))</span>"
            return [
                "<bdi>\(token.name)</bdi>\(mark)", rights(of: token), "\(token.pattern)", used, end,
                forms.revocation(of: token),
            ]
        }
        let table = frame.table(
            [.name, .rights, .opens, .lastUse, .expires, .actions], rows,
            name: "aria-labelledby=\"title-tokens\"", orElse: .noTokens, hasActions: true)
        return "\(table)\(topic.details.address == nil ? "" : forms.token)"
    }

    private func rights(of token: ListedToken) -> Markup {
        let words: [(Bool, Sentence)] = [
            (token.writes, .mayPush), (token.reads, .mayRead), (token.answers, .mayAnswer),
            (token.ends, .mayDelete),
        ]
        let rights = words.filter(\.0).map { frame.say($0.1) }.joined(separator: ", ")
        return token.form == TokenRequest.ntfy ? "\(rights)" : "\(rights) (Gotify)"
    }

    private var silence: Markup {
        let (state, form): (Sentence, Markup)
        switch quiet {
        case .unknown: return "<p>\(frame.say(.quietUnknown))</p>"
        case .none: (state, form) = (.topicRings, forms.mute)
        case .muted(rest: nil): (state, form) = (.topicIsMuted, forms.unmute)
        case .muted(rest: let rest?):
            let time = frame.time(now + rest, from: now)
            let end: Markup = "\(frame.say(.expires)): \(time)"
            return "<p>\(frame.say(.topicIsMuted)) \(end)</p>\(forms.unmute)"
        }
        return "<p>\(frame.say(state))</p>\(form)"
    }
}

/// Asks before a topic ends.
package struct RemoveTopicPage: Sendable {
    private let topic: OwnTopic
    private let frame: PageFrame

    package init(_ topic: OwnTopic, _ frame: PageFrame) {
        (self.topic, self.frame) = (topic, frame)
    }

    package var html: [UInt8] {
        let button: Markup = "<button class=\"danger\">\(frame.say(.removeForGood))</button>"
        return frame.page(
            frame.say(.removeTopicNamed, topic.title),
            """
            <p>\(frame.say(.whatEndsWithIt, "\(topic.messages)"))</p>
            <div>\(frame.form("\(topic.place)/remove", button))</div>
            <p><a href="\(topic.place)">\(frame.say(.keepTopic))</a></p>
            """, tab: .topics)
    }
}
