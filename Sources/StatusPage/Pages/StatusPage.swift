import Base

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
        let parts = sections.all.map { section -> Markup in
            """
            <section aria-labelledby="title-\(section.id)">
            <h2 id="title-\(section.id)">\(frame.say(section.title))</h2>
            <div id="\(section.id)">\(section.contents)</div>
            \(addition(section.id))</section>

            """
        }
        return frame.page(
            frame.say(.status),
            """
            \(notice)<p class="notice bad" id="offline" role="status" hidden>\(frame.say(.offline))\
            </p>
            \(parts)
            """)
    }

    private var notice: Markup { DoneSentence.of(done).map { frame.notice(frame.say($0)) } ?? "" }

    /// What stays while the script replaces the rest.
    private func addition(_ id: String) -> Markup {
        switch id {
        case "plots":
            """
            <div class="plots" hidden><figure><figcaption>\(frame.say(.acceptedASecond))\
            <output id="rate-now"></output></figcaption>\
            <svg id="rate" viewBox="0 0 300 80" aria-hidden="true"></svg></figure>\
            <figure><figcaption>\(frame.say(.latency))<output id="latency-now"></output>\
            </figcaption><svg id="latency" viewBox="0 0 300 80" aria-hidden="true"></svg></figure>\
            </div>
            """
        case "devices":
            frame.form(
                "/ui/devices",
                """
                <input type="hidden" name="once" value="\(frame.additions)">\
                <label>\(frame.say(.nameOfDevice)) \
                <input name="name" required maxlength="64" autocomplete="off"></label> \
                <button>\(frame.say(.addDevice))</button>
                """)
        default: ""
        }
    }

    /// What the script asks for again and again.
    package var live: [UInt8] {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { writer in
            writer.member("now", sections.overview.now)
            sections.overview.writeNumbers(to: &writer)
            if let newest = sections.overview.events.first {
                writer.member("last", newest.number)
            }
            writer.name("sections")
            writer.object { writer in
                for section in sections.all {
                    writer.member(text: section.id, section.contents.source)
                }
            }
        }
        return writer.bytes
    }
}

/// What a page says after a step, by the word in its address.
enum DoneSentence {
    static func of(_ word: String?) -> Sentence? {
        switch word {
        case "test": .doneTest
        case "revoke": .doneRevoked
        case "remove": .doneRemoved
        case "confirm": .doneLetIn
        case "pause": .donePaused
        case "unpause": .doneUnpaused
        case "mute": .doneMuted
        case "unmute": .doneUnmuted
        default: nil
        }
    }
}
