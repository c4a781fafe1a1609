package import Base
package import WebPush

/// What a browser shows that opens the server's name.
package struct FrontPage: Sendable {
    /// Where the status page is, from there.
    package enum StatusPlace: Equatable, Sendable {
        case here, nowhere
        case elsewhere(origin: String)
    }

    private let frame: PageFrame
    private let status: StatusPlace

    package init(language: Language, status: StatusPlace) {
        frame = PageFrame(language: language)
        self.status = status
    }

    package var html: [UInt8] {
        let body: Markup = """
            <p>\(frame.say(.whatThisIs))</p>
            <p>\(frame.say(.whoConnects))</p>
            \(way)
            """
        return frame.page(frame.say(.thisServer), body, isAlone: status != .here)
    }

    private var way: Markup {
        let address: String
        switch status {
        case .nowhere: return ""
        case .here: address = "/ui/"
        case .elsewhere(let origin): address = origin + "/ui/"
        }
        return """
            <p><a href="\(address)">\(frame.say(.toTheStatus))</a></p>
            <p>\(frame.say(.forWhoRunsIt)) <code>bellwire ui</code></p>
            """
    }
}

/// Where a visitor signs in.
package struct SignInPage: Sendable {
    package enum Refusal: Sendable { case code, passkey }

    private let frame: PageFrame
    private let refusal: Refusal?
    /// A passkey belongs to a name, and not to an address of digits.
    private let takesKeys: Bool

    package init(_ frame: PageFrame, takesKeys: Bool, refusal: Refusal? = nil) {
        (self.frame, self.takesKeys, self.refusal) = (frame, takesKeys, refusal)
    }

    package var html: [UInt8] {
        let sentence = refusal.map { $0 == .code ? Sentence.codeRefused : .keyRefused }
        let notice = sentence.map { sentence -> Markup in
            "<p class=\"notice bad\" role=\"alert\">\(frame.say(sentence))</p>"
        }
        return frame.page(
            frame.say(.signIn),
            """
            \(notice ?? "")\(takesKeys ? keys : "")<p>\(frame.say(.howToSignIn))</p>
            <p><code>bellwire ui</code></p>
            <form method="post" action="/ui/login" id="login">
            <label>\(frame.say(.code)) <input name="code" id="code" required maxlength="64" \
            autocomplete="off" spellcheck="false"></label>
            <button>\(frame.say(.signIn))</button>
            </form>
            <noscript><p>\(frame.say(.codeByHand))</p></noscript>
            """, script: takesKeys ? .passkeyScript : nil)
    }

    /// Hidden until the script knows that the browser has passkeys.
    private var keys: Markup {
        """
        <form method="post" action="/ui/login/passkey" id="use-passkey" hidden>\
        \(PasskeyFields.markup)<button>\(frame.say(.useKey))</button></form>

        """
    }
}

/// Says what did not work.
package struct FailurePage: Sendable {
    package enum Reason: Sendable {
        case name, limit, gone, later, form, place, foreign, search, answer, openQuestion
        case stale, passkey, keyName
        case topicName, topicTaken, topicLimit, topicText, topicOpen
        case tokenName, tokenLimit, tokenSignIn
        case messageText, messageDelay

        var sentence: Sentence {
            switch self {
            case .name: .failedName
            case .limit: .failedLimit
            case .gone: .failedGone
            case .later: .failedLater
            case .form: .failedForm
            case .place: .failedPlace
            case .foreign: .failedForeign
            case .search: .failedSearch
            case .answer: .failedAnswer
            case .openQuestion: .failedOpenQuestion
            case .stale: .keysNeedSignIn
            case .passkey: .failedKey
            case .keyName: .failedKeyName
            case .topicName: .failedTopicName
            case .topicTaken: .failedTopicTaken
            case .topicLimit: .failedTopicLimit
            case .topicText: .failedTopicText
            case .topicOpen: .failedTopicOpen
            case .tokenName: .failedTokenName
            case .tokenLimit: .failedTokenLimit
            case .tokenSignIn: .tokenNeedsSignIn
            case .messageText: .failedMessageText
            case .messageDelay: .failedMessageDelay
            }
        }
    }

    /// Where the visitor goes on.
    package enum Back: Sendable {
        case status, topics
        /// By its id.
        case topic(String)

        fileprivate var link: (address: String, Sentence) {
            switch self {
            case .status: ("/ui/status", .back)
            case .topics: ("/ui/topics", .backToTopics)
            case .topic(let id): ("/ui/topics/\(id)", .backToTopic)
            }
        }
    }

    private let frame: PageFrame
    private let reason: Reason
    private let back: Back

    package init(_ frame: PageFrame, _ reason: Reason, back: Back = .status) {
        self.frame = frame
        self.reason = reason
        self.back = back
    }

    package var html: [UInt8] {
        let (address, words) = back.link
        let signIn: Markup =
            reason == .tokenSignIn ? "<p><a href=\"/ui/login\">\(frame.say(.signIn))</a></p>\n" : ""
        return frame.page(
            frame.say(.failed),
            """
            <p class="notice bad" role="alert">\(frame.say(reason.sentence))</p>
            \(signIn)<p><a href="\(address)">\(frame.say(words))</a></p>
            """)
    }
}

/// The addresses of a new device, which are shown once.
package struct DevicePage: Sendable, Confidential {
    private let frame: PageFrame
    private let device: MadeDevice

    package init(_ frame: PageFrame, _ device: MadeDevice) {
        self.frame = frame
        self.device = device
    }

    package var html: [UInt8] {
        let places: [(Sentence, String)] =
            device.isReceiveOnly
            ? [
                (.forFirefox, device.websocket), (.forKUnifiedPush, device.url),
                (.forPhone, device.url),
            ]
            : [(.forDesktop, device.websocket), (.forPrograms, device.bearer)]
        let rows = places.map { sentence, value -> Markup in
            "<dt>\(frame.say(sentence))</dt><dd><code>\(value)</code></dd>"
        }
        return frame.page(
            frame.say(.deviceMayConnect, device.name),
            """
            <p class="notice">\(frame.say(.shownOnce))</p>
            <dl class="places">\(rows)</dl>
            \(picture)
            <p><a href="/ui/status">\(frame.say(.back))</a></p>
            """)
    }

    private var picture: Markup {
        device.isReceiveOnly ? frame.picture(of: device.url, called: .pictureOfAddress) : ""
    }
}

/// What is taken elsewhere from a page.
extension PageFrame {
    /// A text as a QR code; nothing if it is too long for one.
    func picture(of text: String, called name: Sentence) -> Markup {
        guard let code = QRCode(Array(text.utf8)) else { return "" }
        let quiet = 4
        var path: Markup = ""
        for row in 0..<code.size {
            for column in 0..<code.size where code.isDark(row: row, column: column) {
                path += "M\(column + quiet) \(row + quiet)h1v1h-1z"
            }
        }
        let side = code.size + 2 * quiet
        return """
            <svg class="code" role="img" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges"><title>\(say(name))</title>\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }

    /// A term of a list with its value, which a button of the script copies.
    func copied(_ title: Sentence, _ value: String) -> Markup {
        """
        <dt>\(say(title))</dt><dd><code data-copy="\(say(.copy))" \
        data-copied="\(say(.isCopied))">\(value)</code></dd>
        """
    }
}

/// Nobody knows whether the request of a button was carried out.
package struct UnknownPressPage: Sendable, Confidential {
    private let frame: PageFrame
    private let label: String
    private let host: String
    private let again: String

    /// `again` presses it again, as the same press.
    package init(_ frame: PageFrame, _ label: String, at host: String, again: String) {
        (self.frame, self.label, self.host, self.again) = (frame, label, host, again)
    }

    package var html: [UInt8] {
        let button: Markup = """
            <button name="press" value="\(again)">\(frame.say(.pressAgain)): <bdi>\(label)</bdi> \
            (<bdi>\(host)</bdi>)</button>
            """
        return frame.page(
            frame.say(.messages),
            """
            <p class="notice bad" role="alert">\(frame.say(.pressUnknown))</p>
            \(frame.form("/ui/messages", button))
            <p><a href="/ui/">\(frame.say(.newest))</a></p>
            """, tab: .messages)
    }
}
