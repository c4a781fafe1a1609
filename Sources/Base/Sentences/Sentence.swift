/// A sentence for people, in all languages. `{}` stands for a value.
package struct Sentence: Sendable {
    private let english: String
    private let german: String

    init(_ english: String, _ german: String) {
        self.english = english
        self.german = german
    }

    /// The values take the places of `{}`, in order.
    package func text(_ language: Language, _ values: String...) -> String {
        let pattern =
            switch language {
            case .english: english
            case .german: german
            }
        guard !values.isEmpty else { return pattern }
        var rest = values[...]
        var text = ""
        var isOpen = false
        for character in pattern {
            switch character {
            case "{": isOpen = true
            case "}" where isOpen:
                isOpen = false
                text += rest.popFirst() ?? ""
            default: text.append(character)
            }
        }
        return text
    }
}
