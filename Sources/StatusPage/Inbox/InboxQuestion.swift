import Base
import Topics

/// One question on the page, with its answers as buttons.
struct InboxQuestion {
    private let asked: Inbox.Asked
    private let now: Int
    private let frame: PageFrame

    init(_ asked: Inbox.Asked, at now: Int, _ frame: PageFrame) {
        (self.asked, self.now, self.frame) = (asked, now, frame)
    }

    private var question: Question { asked.question }
    private var content: TopicContent { asked.question.content }
    private var place: String { "/ui/questions/\(question.id.text)" }
    private var title: String { content.pageTitle(in: asked.topic) }

    var markup: Markup {
        """
        <article class="message question" id="q-\(question.id.text)">\
        <h2 dir="auto">\(title)</h2><p class="facts"><bdi>\(asked.topic)</bdi> · \(end)</p>\
        <div class="text" dir="auto">\(Markup(lines: content.pageText))</div>\
        <div class="actions">\(buttons)\(ownAnswer)\(withdrawal)</div></article>

        """
    }

    private var end: Markup {
        let time = frame.time(Int(question.expires), from: now)
        return "\(frame.say(.ends)) \(time)"
    }

    /// The number says which question was shown, so that nobody answers another one.
    private var number: Markup {
        "<input type=\"hidden\" name=\"number\" value=\"\(String(question.asked.number))\">"
    }

    private var buttons: Markup {
        guard !question.asked.answers.isEmpty else { return "" }
        let buttons = question.asked.answers.enumerated().map { index, answer -> Markup in
            """
            <button name="place" value="\(index)" id="a-\(question.id.text)-\(index)">\
            <bdi>\(answer)</bdi><span class="unseen">: \(title)</span></button>
            """
        }
        return frame.form(place + "/answer", "\(number)\(buttons)")
    }

    /// A form of its own, because browsers press the first button for whoever ends a text.
    private var ownAnswer: Markup {
        guard question.asked.takesText else { return "" }
        return frame.form(
            place + "/answer",
            """
            \(number)<label>\(frame.label(.ownAnswer, of: title)) \
            <input name="text" required maxlength="\(TopicQuestion.longestText)" \
            autocomplete="off"></label> <button>\(frame.label(.answer, of: title))</button>
            """)
    }

    private var withdrawal: Markup {
        frame.dangerousButton(place + "/withdraw", .withdraw, of: title, .reallyWithdraw)
    }
}
