/// A sentence of a template under its title, which is the sender's or the chat's name. Most templates
/// were made to stand alone and contain that name.
package enum ShownSentence {
    /// The sentence without the name: "Ann @ Family: hello" under "Family" is "Ann: hello".
    ///
    /// Only the beginning, and the ends that templates have behind the sender's name, are changed:
    /// what somebody wrote stays as it is.
    package static func body(_ sentence: String, under title: String, by sender: String) -> String {
        guard !title.isEmpty else { return sentence }
        if sentence.hasPrefix(title + ": ") { return String(sentence.dropFirst(title.count + 2)) }
        guard !sender.isEmpty, sender != title, sentence.hasPrefix(sender + " ") else {
            return sentence
        }
        let start = "\(sender) @ \(title): "
        if sentence.hasPrefix(start) {
            return "\(sender): \(sentence.dropFirst(start.count))"
        }
        for ending in [" to the group ", " in the group "] {
            if sentence.hasSuffix(ending + title) {
                return String(sentence.dropLast(ending.count + title.count))
            }
        }
        let isOfGroup = sentence.hasSuffix(" the group " + title)
        return isOfGroup ? String(sentence.dropLast(title.count + 1)) : sentence
    }
}
