package import Base

/// HTML. What is put into a literal is escaped unless it is `Markup`, so no text from outside can
/// become an element or end an attribute.
package struct Markup: ExpressibleByStringInterpolation, Equatable, Sendable {
    package private(set) var source: String

    package init(stringLiteral source: String) { self.source = source }
    /// `source` is HTML already, made of text that was escaped.
    init(trusted source: String) { self.source = source }
    package init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

    /// Letters and digits of ASCII, and what no reader of HTML looks at.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            false
        default: (0x20..<0x7F).contains(byte)
        }
    }

    package static func += (left: inout Markup, right: Markup) { left.source += right.source }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { source += literal }
        package mutating func appendInterpolation(_ markup: Markup) { source += markup.source }
        package mutating func appendInterpolation(_ list: [Markup]) {
            for markup in list { source += markup.source }
        }
        package mutating func appendInterpolation(_ number: Int) { source += "\(number)" }

        package mutating func appendInterpolation(_ text: String) {
            // Nearly all texts are like this.
            guard !text.utf8.allSatisfy(Markup.isPlain) else { return source += text }
            source += Printable.markup(Printable.text(text))
        }
    }
}

/// What all pages have in common: the language, and the visitor's session.
package struct PageFrame: Sendable {
    package let language: Language
    /// Proves that a form is one of ours; nil before the visitor has signed in.
    package let formToken: String?
    /// How many devices the session has added.
    let additions: Int

    package init(language: Language, formToken: String? = nil, additions: Int = 0) {
        self.language = language
        self.formToken = formToken
        self.additions = additions
    }

    func say(_ sentence: Sentence) -> String { sentence.text(language) }
    func say(_ sentence: Sentence, _ value: String) -> String { sentence.text(language, value) }

    /// The pages that the others belong to.
    enum Tab { case messages, topics, status, access }

    /// Where the script asks for what is new, and the newest that the page has.
    struct Live {
        let address: String
        var last: Int64?
        /// Where it is told that there is something new; nil where it asks now and then.
        var stream: String?
    }

    /// A page with the contents `body`; `isAlone` where it cannot load what the others do.
    func page(
        _ title: String, _ body: Markup, tab: Tab? = nil, live: Live? = nil,
        script: PageFile? = nil, isAlone: Bool = false
    ) -> [UInt8] {
        let scripts = ([.script] + [script].compactMap(\.self)).map { file -> Markup in
            "<script defer src=\"\(file.rawValue)\"></script>\n"
        }
        let files: Markup = """
            <link rel="icon" type="image/svg+xml" href="/ui/icon.svg">
            <link rel="stylesheet" href="/ui/style.css">
            \(scripts)
            """
        let header: Markup = """
            <a class="skip" href="#contents">\(say(.skip))</a>
            <header><p class="brand"><a href="/ui/">Bellwire</a></p>\(tabs(tab))\(signOut)</header>

            """
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) – Bellwire</title>
            \(isAlone ? "" : files)</head>
            <body\(live.map(Self.attributes) ?? "")>
            \(isAlone ? "" : header)<main id="contents">
            <h1>\(title)</h1>
            \(body)
            </main>
            </body>
            </html>

            """
        return Array(page.source.utf8)
    }

    private static func attributes(_ live: Live) -> Markup {
        let last = live.last.map { " data-last=\"\(Int($0))\"" as Markup } ?? ""
        let stream = live.stream.map { " data-stream=\"\($0)\"" as Markup } ?? ""
        return " data-live=\"\(live.address)\"\(last)\(stream)"
    }

    private func tabs(_ current: Tab?) -> Markup {
        guard formToken != nil else { return "" }
        let tabs: [(Tab, String, Sentence)] = [
            (.messages, "/ui/", .messages), (.topics, "/ui/topics", .topics),
            (.status, "/ui/status", .status), (.access, "/ui/access", .access),
        ]
        let links = tabs.map { tab, address, sentence -> Markup in
            let mark: Markup = tab == current ? " aria-current=\"page\"" : ""
            return "<a href=\"\(address)\"\(mark)>\(say(sentence))</a> "
        }
        return "<nav aria-label=\"\(say(.pages))\">\(links)</nav>"
    }

    private var signOut: Markup {
        formToken == nil ? "" : form("/ui/logout", "<button>\(say(.signOut))</button>")
    }

    /// A form whose fields are `contents`.
    func form(
        _ action: String, _ contents: Markup, id: String? = nil, attributes: Markup = ""
    ) -> Markup {
        let id = id.map { " id=\"\($0)\"" as Markup } ?? ""
        return """
            <form method="post" action="\(action)"\(id)\(attributes)>\
            <input type="hidden" name="csrf" value="\(formToken ?? "")">\(contents)</form>
            """
    }

    /// A button of a table, where a screen reader needs to hear whose button it is.
    func button(_ action: String, _ label: Sentence, of subject: String) -> Markup {
        form(action, "<button id=\"\(action)\">\(self.label(label, of: subject))</button>")
    }

    /// The same, with a second step for what cannot be undone.
    func dangerousButton(
        _ action: String, _ label: Sentence, of subject: String, _ confirmation: Sentence
    ) -> Markup {
        """
        <details><summary id="\(action)">\(self.label(label, of: subject))</summary>\
        \(form(action, "<button class=\"danger\">\(say(confirmation))</button>"))</details>
        """
    }

    func label(_ label: Sentence, of subject: String) -> Markup {
        "\(say(label))<span class=\"unseen\">: \(subject)</span>"
    }

    /// A moment, from `now`; both in seconds. The script keeps it right, and tells the exact one.
    func time(_ seconds: Int, from now: Int) -> Markup {
        let text = CivilTime(secondsSince1970: Int64(seconds)).rfc3339
        let (date, clock) = (text.prefix(10), text.dropFirst(11).dropLast())
        return """
            <time datetime="\(text)" title="\(String(date)) \(String(clock)) UTC">\
            \(span(seconds - now))</time>
            """
    }

    /// How far a moment is. To the minute, so that a page that is made anew is mostly the same.
    private func span(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        guard minutes > 0 else { return say(.now) }
        let (count, past, future): (Int, Sentence, Sentence) =
            switch minutes {
            case ..<60: (minutes, .minutesAgo, .inMinutes)
            case ..<(48 * 60): (minutes / 60, .hoursAgo, .inHours)
            default: (minutes / (24 * 60), .daysAgo, .inDays)
            }
        return say(seconds < 0 ? past : future, "\(count)")
    }

    /// A table, or cards where the window is narrow, in which each cell has its title beside it.
    /// `name` is the attribute that names it; the first cell of a row names the row.
    func table(
        _ titles: [Sentence], _ rows: [[Markup]], name: Markup, orElse nothing: Sentence,
        hasActions: Bool = false
    ) -> Markup {
        guard !rows.isEmpty else { return "<p>\(say(nothing))</p>" }
        let heads = titles.map { title -> Markup in "<th scope=\"col\">\(say(title))</th>" }
        let lines = rows.map { cells -> Markup in
            let row = zip(titles, cells).enumerated().map { index, cell -> Markup in
                switch index {
                case 0: "<th scope=\"row\">\(cell.1)</th>"
                case cells.count - 1 where hasActions: "<td class=\"actions\">\(cell.1)</td>"
                default: "<td data-title=\"\(say(cell.0))\">\(cell.1)</td>"
                }
            }
            return "<tr>\(row)</tr>"
        }
        return """
            <div class="scroll" tabindex="0" role="group" \(name)>\
            <table><thead><tr>\(heads)</tr></thead><tbody>\(lines)</tbody></table></div>
            """
    }

    /// What the script shows while nobody answers it.
    var offline: Markup {
        """
        <p class="notice bad" id="offline" role="status" hidden>\(say(.offline))</p>

        """
    }

    func notice(_ text: String) -> Markup { "<p class=\"notice\" role=\"status\">\(text)</p>" }
}
