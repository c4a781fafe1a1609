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
    private let template: String

    init(_ template: some StringProtocol) { self.template = String(template) }

    /// Reads templates as applications for Apple's systems write them: `%@` for the next argument,
    /// `%2$@` for one by number, `%%` for a percent sign. Braces work as above.
    init(apple template: Substring) {
        var next = 1
        self.init(
            template.filled(at: "%") { rest in
                switch rest.first {
                case "%":
                    rest.removeFirst()
                    return "%"
                case "@":
                    rest.removeFirst()
                    defer { next += 1 }
                    return "{\(next)}"
                default:
                    guard let end = rest.firstIndex(of: "@"), rest[..<end].last == "$",
                        let number = Int(rest[..<end].dropLast()), number > 0
                    else { return nil }
                    rest = rest[end...].dropFirst()
                    return "{\(number)}"
                }
            })
    }

    /// Missing arguments become empty.
    func filled(_ arguments: [String]) -> String {
        template[...].filled(at: "{") { rest in
            guard let end = rest.firstIndex(of: "}"), let number = Int(rest[..<end]), number > 0
            else { return nil }
            rest = rest[end...].dropFirst()
            return arguments.indices.contains(number - 1) ? arguments[number - 1] : ""
        }
    }
}
