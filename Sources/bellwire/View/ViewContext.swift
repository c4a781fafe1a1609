import Base
import Terminal

/// What the views know of their surroundings.
struct ViewContext: Sendable {
    let language: Language
    /// A time in seconds as `2026-11-25 20:15`, in the zone of the user.
    let localTime: @Sendable (Int) -> String

    func say(_ sentence: TerminalSentence) -> String { language.say(sentence) }

    /// The time alone if it is of the same day, otherwise the date; as `20:15` or `11-24`.
    func shortTime(_ seconds: Int, now: Int) -> String {
        let (text, today) = (localTime(seconds), localTime(now))
        let isToday = text.prefix(10) == today.prefix(10)
        return String(isToday ? text.suffix(5) : text.dropFirst(5).prefix(5))
    }
}

extension Screen {
    /// The first row: what this is, and on the right how it stands.
    mutating func drawTitle(_ left: String, right: String, _ style: Style = .reversed) {
        let start = write(right, row: 0, endOf: columns(1, to: size.columns - 1))
        write(left, row: 0, columns: columns(1, to: start - 1))
        paint(row: 0, style)
    }

    /// A page of keys and what they do.
    mutating func drawHelp(_ keys: [(key: String, meaning: String)], hint: String) {
        for (number, key) in keys.enumerated() where number + 3 < size.rows {
            write(key.key, row: number + 2, columns: columns(2, to: 18), .bold)
            write(key.meaning, row: number + 2, columns: columns(18))
        }
        write(hint, row: size.rows - 1, columns: columns(1), .dim)
    }
}
