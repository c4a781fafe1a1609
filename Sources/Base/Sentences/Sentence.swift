/// A sentence for people, in all languages. `%1`, `%2` and so on stand for values.
package struct Sentence: Sendable {
    private let english: String
    private let german: String

    init(_ english: String, _ german: String) {
        self.english = english
        self.german = german
    }

    package func text(_ language: Language, _ values: String...) -> String {
        text(language, values)
    }

    package func text(_ language: Language, _ values: [String]) -> String {
        var rest =
            switch language {
            case .english: english[...]
            case .german: german[...]
            }
        guard !values.isEmpty else { return String(rest) }
        var text = ""
        while let sign = rest.firstIndex(of: "%") {
            text += rest[..<sign]
            rest = rest[sign...].dropFirst()
            guard let number = rest.first?.wholeNumberValue, values.indices.contains(number - 1)
            else {
                text += "%"
                continue
            }
            text += values[number - 1]
            rest = rest.dropFirst()
        }
        return text + rest
    }

    /// How often each place occurs. It is the same in all languages.
    package func places(in language: Language) -> [Int] {
        let parts = text(language).split(separator: "%", omittingEmptySubsequences: false)
        return parts.dropFirst().compactMap { $0.first?.wholeNumberValue }.sorted()
    }
}

extension Language {
    package func say(_ sentence: TerminalSentence, _ values: String...) -> String {
        sentence.sentence.text(self, values)
    }
}
