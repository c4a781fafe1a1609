/// The sentences that tell a person what a key means.
package struct TelegramTemplates: Sendable {
    private struct Forms: Sendable {
        var plain: String
        var withGroup: String?
    }

    private var forms: [String: Forms]

    package static let english = TelegramTemplates(table: englishTable)

    /// One row a line: key, tab, template; what follows a second tab is a comment. What the table
    /// leaves out is said as in `others`.
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
            if forms[key] == nil {
                forms[key] = Forms(plain: String(columns[1]))
            } else {
                forms[key]?.withGroup = String(columns[1])
            }
        }
        self.forms = forms
    }

    package func has(_ key: String) -> Bool { forms[key] != nil }

    /// The sentence, and a title where the template itself brings one; nil for an unknown key.
    package func text(
        _ key: String, _ arguments: [String], inGroup: Bool
    ) -> (title: String?, body: String)? {
        guard let forms = forms[key] else { return nil }
        let template = inGroup ? forms.withGroup ?? forms.plain : forms.plain
        // A bar separates title and body.
        let parts = template.split(separator: "|", maxSplits: 1)
        if parts.count == 2 {
            return (Self.fill(parts[0], arguments), Self.fill(parts[1], arguments))
        }
        return (nil, Self.fill(template[...], arguments))
    }

    /// Puts the arguments in the place of `{1}`, `{2}` and so on.
    static func fill(_ template: Substring, _ arguments: [String]) -> String {
        var result = ""
        var rest = template
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            let end = rest[brace...].firstIndex(of: "}")
            guard let end, let number = Int(rest[rest.index(after: brace)..<end]) else {
                result += "{"
                rest = rest[rest.index(after: brace)...]
                continue
            }
            if number > 0, number <= arguments.count { result += arguments[number - 1] }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
