import Base

/// The topics of a visitor, and a form to make another one.
package struct TopicsPage: Sendable {
    private let topics: [OwnTopic]
    /// In seconds since 1970.
    private let now: Int
    private let frame: PageFrame
    private let done: String?

    package init(_ topics: [OwnTopic], at now: Int, _ frame: PageFrame, done: String? = nil) {
        self.topics = topics
        self.now = now
        self.frame = frame
        self.done = done
    }

    package var html: [UInt8] {
        let notice = DoneSentence.text(done, frame).map(frame.notice) ?? ""
        let advice: Markup =
            topics.contains(where: \.isUnheard)
            ? "<p>\(frame.say(.noScreen)): \(frame.say(.nobodyListens))</p>" : ""
        return frame.page(
            frame.say(.topics),
            """
            \(notice)\(table)\(advice)
            <section aria-labelledby="new-topic">
            <h2 id="new-topic">\(frame.say(.newTopic))</h2>
            \(form)</section>
            """, tab: .topics)
    }

    private var table: Markup {
        frame.table(
            [.topic, .messages, .lastMessage, .whoReachesIt, .tokens], topics.map(row),
            name: "aria-label=\"\(frame.say(.topics))\"", orElse: .noTopics)
    }

    private func row(_ topic: OwnTopic) -> [Markup] {
        let description: Markup =
            topic.purpose.isEmpty
            ? "" : "<br><span class=\"facts\"><bdi>\(topic.purpose)</bdi></span>"
        let unheard: Markup =
            topic.isUnheard ? " <span class=\"bad\">(\(frame.say(.noScreen)))</span>" : ""
        let refusal: Markup =
            topic.refusal.map { refusal -> Markup in
                "<br><span class=\"bad\">\(frame.say(.lastRefusal)): \(refusal.status)</span>"
            } ?? ""
        return [
            "<a href=\"\(topic.place)\"><bdi>\(topic.title)</bdi></a>\(unheard)\(description)\(refusal)",
            TopicFacts(topic, frame).kept, topic.last.map { frame.time($0, from: now) } ?? "–",
            TopicFacts(topic, frame).reach, topic.tokens.map { "\($0.count)" } ?? "…",
        ]
    }

    private var form: Markup {
        frame.form(
            "/ui/topics",
            """
            <div class="fields"><input type="hidden" name="once" value="\(frame.additions)">\
            <label>\(frame.say(.nameOfTopic)) \
            <input name="name" required maxlength="64" pattern="[A-Za-z0-9_\\-]+" \
            autocomplete="off" spellcheck="false"></label>\
            <label>\(frame.say(.descriptionOfTopic)) \
            <input name="description" maxlength="250"></label>\
            <div><button>\(frame.say(.makeTopic))</button></div></div>
            """)
    }
}

/// What several pages say of a topic.
struct TopicFacts {
    private let topic: OwnTopic
    private let frame: PageFrame

    init(_ topic: OwnTopic, _ frame: PageFrame) { (self.topic, self.frame) = (topic, frame) }

    var kept: Markup {
        guard topic.messages > 0 else {
            return "\(frame.say(topic.details.keep == 0 ? .keepsNothing : .noneKept))"
        }
        let size = Sentence.waitingBytes.text(
            frame.language, "\(topic.messages)", ByteCount.text(topic.bytes))
        return "\(size)"
    }

    /// Who may push, and read, besides those with a token.
    var reach: Markup {
        let details = topic.details
        let words: [(Bool, Sentence)] = [
            (details.isOpen, .isOpenTopic), (details.isSecret, .isSecretTopic),
            (details.isSecretlyRead, .isSecretlyReadTopic),
            (details.isLocal && !details.isOpen, .isLocalTopic),
        ]
        let said = words.filter(\.0).map { frame.say($0.1) }
        return "\(said.isEmpty ? frame.say(.isPrivateTopic) : said.joined(separator: ", "))"
    }
}
