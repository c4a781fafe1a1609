import Base

/// One line of a log: a level, what happened, and values by name.
struct LogLine {
    let level: Log.Level
    let event: StaticString
    let fields: [(StaticString, String)]

    /// The line for journald, which reads the priority at the start of a line (sd-daemon(3)).
    var journalText: String { "<\(level.rawValue)>\(message)\n" }

    /// The line for a terminal or a file.
    var plainText: String { "bellwire: \(level.word): \(message)\n" }

    /// Event and values, without the level.
    var message: String {
        var text = "event=\(event)"
        for (name, value) in fields { text += " \(name)=" + Self.quoted(value) }
        return text
    }

    /// A value as it may be shown: printable, and not too long.
    static func shown(_ value: String) -> String { Printable.text(value, limit: valueLimit) }

    /// Quotes a value that is not a single word. It works on bytes, as readers of the log do: a
    /// combining character would hide a quotation mark.
    private static func quoted(_ value: String) -> String {
        let text = shown(value)
        guard text.isEmpty || text.utf8.contains(where: { " \"=\\".utf8.contains($0) }) else {
            return text
        }
        var result = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                result.append(UInt8(ascii: "\\"))
            }
            result.append(byte)
        }
        result.append(UInt8(ascii: "\""))
        return String(decoding: result, as: UTF8.self)
    }

    private static let valueLimit = 500
}
