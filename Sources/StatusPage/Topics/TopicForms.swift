import Base
package import WebPush

/// The forms of a topic's page.
struct TopicForms {
    private let topic: OwnTopic
    private let isFresh: Bool
    private let frame: PageFrame

    init(_ topic: OwnTopic, isFresh: Bool, _ frame: PageFrame) {
        (self.topic, self.isFresh, self.frame) = (topic, isFresh, frame)
    }

    private static let day = 86_400

    private func form(_ step: String, _ fields: Markup, _ button: Sentence) -> Markup {
        frame.form(
            "\(topic.place)/\(step)",
            """
            <div class="fields">\(fields)<div><button>\(frame.say(button))</button></div></div>
            """)
    }

    private var once: Markup {
        "<input type=\"hidden\" name=\"once\" value=\"\(frame.additions)\">"
    }

    /// A choice of one of these values.
    private func choice(
        _ label: Sentence, _ name: String, _ options: [(value: String, text: String)],
        chosen: String? = nil
    ) -> Markup {
        let list = options.map { value, text -> Markup in
            let mark: Markup = value == chosen ? " selected" : ""
            return "<option value=\"\(value)\"\(mark)>\(text)</option>"
        }
        return "<label>\(frame.say(label)) <select name=\"\(name)\">\(list)</select></label>"
    }

    private func days(_ count: Int) -> (value: String, text: String) {
        (
            "\(count * Self.day)",
            count == 1 ? frame.say(.aDay) : frame.say(.forDays, "\(count)")
        )
    }
}

/// Tokens.
extension TopicForms {
    var token: Markup {
        guard isFresh else {
            let way: Markup = "<a href=\"/ui/login\">\(frame.say(.signIn))</a>"
            return "<p>\(frame.say(.tokenNeedsSignIn)) \(way)</p>"
        }
        let uses = TokenUse.allCases.map { ($0.rawValue, frame.say($0.sentence)) }
        let ends = [("", frame.say(.neverEnds))] + [1, 7, 30, 90, 365].map(days)
        return form(
            "tokens",
            """
            \(once)<label>\(frame.say(.nameOfToken)) \
            <input name="name" required maxlength="64" autocomplete="off"></label>\
            \(choice(.whatTokenIsFor, "use", uses))\(choice(.expires, "expires", ends))
            """, .makeToken)
    }

    func revocation(of token: ListedToken) -> Markup {
        let fields: Markup = """
            <input type="hidden" name="token" value="\(token.id)">\
            <button class="danger">\(frame.say(.reallyRevokeToken))</button>
            """
        return """
            <details><summary>\(frame.label(.revoke, of: token.name))</summary>\
            \(frame.form("\(topic.place)/revoke", fields))</details>
            """
    }
}

/// What a new token is for, as the form of a topic's page offers it.
package enum TokenUse: String, CaseIterable, Sendable {
    case push, read, both, answer, application, client

    var sentence: Sentence {
        switch self {
        case .push: .tokenPushes
        case .read: .tokenReads
        case .both: .tokenPushesAndReads
        case .answer: .tokenReadsAndAnswers
        case .application: .tokenOfApplication
        case .client: .tokenOfClient
        }
    }

    /// Says in a request what it is.
    package func describe(in request: inout TokenRequest) {
        switch self {
        case .push: request.writes = true
        case .read: request.reads = true
        case .both: (request.reads, request.writes) = (true, true)
        case .answer: (request.reads, request.answers) = (true, true)
        case .application: request.form = TokenRequest.application
        case .client: request.form = TokenRequest.client
        }
    }
}

/// A message.
extension TopicForms {
    var message: Markup {
        let priorities: [(String, Sentence)] = [
            ("1", .lowest), ("2", .low), ("3", .usualPriority), ("4", .high), ("5", .urgent),
        ]
        return form(
            "send",
            """
            \(once)<label>\(frame.say(.titleOfTopic)) \
            <input name="title" maxlength="250" autocomplete="off"></label>\
            <label>\(frame.say(.textOfMessage)) \
            <textarea name="text" rows="4" required maxlength="6000"></textarea></label>\
            <label class="check"><input type="checkbox" name="markdown" value="1"> \
            \(frame.say(.isMarkdownText))</label>\
            \(choice(.priority, "priority", priorities.map { ($0, frame.say($1)) }, chosen: "3"))\
            <label>\(frame.say(.tagsOfMessage)) \
            <input name="tags" maxlength="250" autocomplete="off"></label>\
            <label>\(frame.say(.clickOfMessage)) \
            <input name="click" type="url" maxlength="1000" autocomplete="off"></label>\
            <label>\(frame.say(.delayOfMessage)) \
            <input name="delay" maxlength="64" autocomplete="off"></label>
            """, .send)
    }
}

/// How loud it is, and what it keeps.
extension TopicForms {
    var mute: Markup {
        let times = [
            ("3600", frame.say(.anHour)), ("28800", frame.say(.eightHours)), days(1),
            ("", frame.say(.untilUnmuted)),
        ]
        return form("mute", choice(.howLong, "for", times), .mute)
    }

    var unmute: Markup { form("unmute", "", .unmute) }

    var settings: Markup {
        let title = topic.details.application?.name ?? ""
        let open: Markup =
            topic.details.address == nil
            ? ""
            : """
            <label class="check"><input type="checkbox" name="open" value="yes"\
            \(topic.details.isOpen ? " checked" : "")> \(frame.say(.letEverybodyPush))</label>
            """
        return form(
            "settings",
            """
            <label>\(frame.say(.titleOfTopic)) \
            <input name="title" maxlength="250" value="\(title)"></label>\
            <label>\(frame.say(.descriptionOfTopic)) \
            <input name="description" maxlength="250" value="\(topic.purpose)"></label>\
            \(choice(.howLongKept, "keep", lifetimes, chosen: keep))\(open)
            """, .save)
    }

    private var keep: String { topic.details.keep.map { "\($0)" } ?? "" }

    /// With the one that the topic has.
    private var lifetimes: [(value: String, text: String)] {
        var offered = [("", frame.say(.asTheServerSays)), ("0", frame.say(.keepsNothing))]
        offered += [1, 7, 30, 90, 365].map(days)
        if !offered.contains(where: { $0.0 == keep }) {
            offered.append((keep, frame.say(.forSeconds, keep)))
        }
        return offered
    }
}
