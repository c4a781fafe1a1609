import Base
package import WebPush

/// The page with everything that somebody may see.
package struct StatusPage: Sendable {
    private let sections: StatusSections
    private let frame: PageFrame
    /// What the visitor has just done.
    private let done: String?

    package init(_ overview: Overview, _ frame: PageFrame, done: String? = nil) {
        sections = StatusSections(overview: overview, frame: frame)
        self.frame = frame
        self.done = done
    }

    package var html: [UInt8] {
        let parts = StatusSections.Section.allCases.map { section -> Markup in
            """
            <section aria-labelledby="title-\(section.rawValue)">
            <h2 id="title-\(section.rawValue)">\(frame.say(section.title))</h2>
            <div id="\(section.rawValue)">\(sections.contents(of: section))</div>
            \(addition(section))</section>

            """
        }
        return frame.page(
            frame.say(.status),
            """
            \(notice)\(frame.offline)\(parts)
            """, tab: .status, live: PageFrame.Live(address: "/ui/live"))
    }

    private var notice: Markup { DoneSentence.text(done, frame).map(frame.notice) ?? "" }

    /// What stays while the script replaces the rest.
    private func addition(_ section: StatusSections.Section) -> Markup {
        switch section {
        case .plots:
            """
            <div class="plots" hidden>\(plot("rate", .acceptedASecond))\
            \(plot("latency", .latency))</div>
            """
        case .devices:
            frame.form(
                "/ui/devices",
                """
                <input type="hidden" name="once" value="\(frame.additions)">\
                <label>\(frame.say(.nameOfDevice)) \
                <input name="name" required maxlength="64" autocomplete="off"></label> \
                <label><input type="checkbox" name="more" value="yes"> \
                \(frame.say(.forMore))</label> \
                <button>\(frame.say(.addDevice))</button>
                """)
        default: ""
        }
    }

    /// The script draws it. The table above has the same for those who do not see it.
    private func plot(_ id: String, _ title: Sentence) -> Markup {
        """
        <figure><figcaption>\(frame.say(title))<output id="\(id)-now"></output></figcaption>\
        <svg id="\(id)" viewBox="0 0 300 80" preserveAspectRatio="none" aria-hidden="true"></svg>\
        </figure>
        """
    }

    /// What the script asks for again and again. `last` is the newest event that it has; if there
    /// is no other, the events are left out, which are the largest part.
    package func live(after last: Int?) -> [UInt8] {
        var overview = sections.overview
        let newest = overview.events.first?.number
        var writer = JSONWriter(capacity: 16_384)
        writer.object { writer in
            writer.member("now", overview.now)
            writer.fields { overview.numbers(&$0) }
            if let newest { writer.member("last", newest) }
            writer.name("sections")
            writer.object { writer in
                for section in StatusSections.Section.allCases {
                    if section == .events, last != nil, last == newest { continue }
                    writer.member(
                        text: section.rawValue, sections.contents(of: section).source)
                }
            }
        }
        return writer.bytes
    }
}

/// What a page says after a step, by the word in its address.
enum DoneSentence {
    static func text(_ word: String?, _ frame: PageFrame) -> String? {
        guard let word, word.hasPrefix(pressed) else { return of(word).map { frame.say($0) } }
        switch word.dropFirst(pressed.count) {
        case "unsent": return frame.say(.pressUnsent)
        case "forbidden": return frame.say(.pressForbidden)
        case "again": return frame.say(.pressUnderWay)
        case let status:
            guard let status = Int(status) else { return nil }
            let isDone = (200..<300).contains(status)
            return frame.say(isDone ? .pressDone : .pressFailed, "\(status)")
        }
    }

    /// A button was pressed that sends a request.
    private static let pressed = "press-"

    private static func of(_ word: String?) -> Sentence? {
        switch word {
        case "test": .doneTest
        case "test-unheard": .doneTestUnheard
        case "revoke": .doneRevoked
        case "remove": .doneRemoved
        case "confirm": .doneLetIn
        case "pause": .donePaused
        case "unpause": .doneUnpaused
        case "mute": .doneMuted
        case "unmute": .doneUnmuted
        case "read": .doneRead
        case "unread": .doneUnread
        case "delete": .doneDeleted
        case "answered": .doneAnswered
        case "withdrawn": .doneWithdrawn
        case "late": .doneLate
        case "passkey": .doneKey
        case "passkey-removed": .doneKeyRemoved
        case "session-ended": .doneSessionEnded
        case "topic-made": .doneTopicMade
        case "topic-removed": .doneTopicRemoved
        case "topic-changed": .doneTopicChanged
        case "topic-muted": .doneTopicMuted
        case "topic-unmuted": .doneTopicUnmuted
        case "token-revoked": .doneTokenRevoked
        case "sent": .doneSent
        case "delayed": .doneDelayed
        default: nil
        }
    }
}
