import Base

/// One line of a log: a level, what happened, and values by name.
struct LogLine {
    let level: Log.Level
    let event: StaticString
    let fields: [(StaticString, String)]

    /// For journald, which reads the priority in front (sd-daemon(3)).
    var journalText: String { "<\(level.rawValue)>" + content }

    /// For a person at a terminal, or a file.
    var plainText: String { "bellwire: \(level.word): " + content }

    private var content: String {
        var text = "event=\(event)"
        for (name, value) in fields { text += " \(name)=" + Self.quoted(value) }
        return text + "\n"
    }

    /// A value that would not be one word is put into quotes.
    private static func quoted(_ value: String) -> String {
        let text = Printable.text(value, limit: valueLimit)
        guard text.isEmpty || text.contains(where: { " \"=\\".contains($0) }) else { return text }
        var result = "\""
        for character in text {
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return result + "\""
    }

    private static let valueLimit = 500
}
