import Base
import System

extension Command.Option {
    static let plain = Self("plain", help: "print plain text, even on a terminal")
}

extension Arguments {
    /// Whether to draw on the terminal: nothing else was asked for, and it can.
    var wantsView: Bool { !has("json") && !has("plain") && RawTerminal.isCapable }
}

extension ViewContext {
    /// The language and the time zone of this process.
    static var own: ViewContext {
        ViewContext(
            language: Locale.language,
            localTime: { LocalTime.text($0) })
    }
}
