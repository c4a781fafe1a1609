import Base

/// The sentences that describe Telegram's keys to people.
package struct TelegramTemplates: Sendable {
    private struct Forms: Sendable {
        var plain: Sentence
        var withGroup: Sentence?
    }

    private var forms: [String: Forms]

    package static let english = TelegramTemplates(table: englishTable)

    /// One row a line: key, tab, template; a second tab starts a comment. `others` fills in missing
    /// keys.
    package init(table: String, orElse others: TelegramTemplates) {
        self.init(table: table)
        forms.merge(others.forms) { own, _ in own }
    }

    package init(table: String) {
        var forms: [String: Forms] = [:]
        for line in table.split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count >= 2 else { continue }
            let key = String(columns[0])
            let sentence = Sentence(columns[1])
            if forms[key] == nil {
                forms[key] = Forms(plain: sentence)
            } else {
                forms[key]?.withGroup = sentence
            }
        }
        self.forms = forms
    }

    /// The sentence, and a title if the template has one; nil for an unknown key.
    package func text(
        _ key: String, _ arguments: [String], inGroup: Bool
    ) -> (title: String?, body: String)? {
        guard let forms = forms[key] else { return nil }
        let sentence = inGroup ? forms.withGroup ?? forms.plain : forms.plain
        return (sentence.title?.filled(arguments), sentence.body.filled(arguments))
    }

    /// A parsed template. A bar separates title and body.
    private struct Sentence: Sendable {
        let title: TemplateText?
        let body: TemplateText

        init(_ template: Substring) {
            let template =
                template.place(of: " (comment:").map { template[..<$0.lowerBound] } ?? template
            let parts = template.split(separator: "|", maxSplits: 1)
            title = parts.count == 2 ? TemplateText(parts[0]) : nil
            body = TemplateText(parts.count == 2 ? parts[1] : template)
        }
    }
}

/// A text with placeholders `{1}`, `{2}` and so on.
struct TemplateText: Sendable {
    private enum Piece {
        case text(String)
        case argument(Int)
    }

    private var pieces: [Piece] = []

    init(_ template: Substring) {
        var rest = template
        while let brace = rest.firstIndex(of: "{") {
            pieces.append(.text(String(rest[..<brace])))
            let behind = rest.index(after: brace)
            let end = rest[behind...].firstIndex(of: "}")
            guard let end, let number = Int(rest[behind..<end]), number > 0 else {
                pieces.append(.text("{"))
                rest = rest[behind...]
                continue
            }
            pieces.append(.argument(number - 1))
            rest = rest[rest.index(after: end)...]
        }
        pieces.append(.text(String(rest)))
    }

    /// Reads templates as applications for Apple's systems write them: `%@` for the next argument,
    /// `%2$@` for one by number, `%%` for a percent sign. Braces work as above.
    init(apple template: Substring) {
        var text = ""
        var (rest, next) = (template, 1)
        while let sign = rest.firstIndex(of: "%") {
            text += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.first == "%" {
                text += "%"
                rest.removeFirst()
            } else if rest.first == "@" {
                text += "{\(next)}"
                next += 1
                rest.removeFirst()
            } else if let end = rest.firstIndex(of: "@"), rest[..<end].last == "$",
                let number = Int(rest[..<end].dropLast()), number > 0
            {
                text += "{\(number)}"
                rest = rest[rest.index(after: end)...]
            } else {
                text += "%"
            }
        }
        self.init((text + rest)[...])
    }

    /// Missing arguments become empty.
    func filled(_ arguments: [String]) -> String {
        pieces.reduce(into: "") { result, piece in
            switch piece {
            case .text(let text): result += text
            case .argument(let index):
                if arguments.indices.contains(index) { result += arguments[index] }
            }
        }
    }
}
