import Base
import Glibc
import Notifications
import System

/// Says how far a long piece of work is: a bar on a terminal, lines elsewhere, or lines of JSON.
/// Nothing is said twice.
///
/// Bar and lines go to standard error, so that they do not mix with the result of the command.
final class Progress {
    enum Form {
        case bar, lines, json

        /// What the options and the terminal ask for.
        init(_ arguments: Arguments) {
            self = arguments.has("json") ? .json : StandardError.isTerminal ? .bar : .lines
        }
    }

    private static let width = 30
    private static let clearLine = "\r\u{1B}[K"

    private let form: Form
    /// What was last said: the step of the work, and percents or tens of them.
    private var said: (step: String, amount: Int)?

    init(_ form: Form) { self.form = form }

    /// An error that is reported afterwards gets a line of its own.
    deinit { end() }

    func advance(_ step: String, to done: Int, of total: Int) {
        if let text = text(step, at: done, of: total) { write(text) }
    }

    /// Ends the line of a bar.
    func end() {
        if form == .bar, said != nil { write("\n") }
        said = nil
    }

    /// Shows the result of the work.
    func end(_ text: String, _ json: String) throws {
        end()
        try StandardOutput.write(form == .json ? json : text)
    }

    /// What to print now; nil if it would say nothing new.
    func text(_ step: String, at done: Int, of total: Int) -> String? {
        let done = min(max(done, 0), total)
        let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
        let amount = form == .lines ? percent / 10 : percent
        if let said, said == (step, amount) { return nil }
        said = (step, amount)
        switch form {
        case .bar:
            let full = percent * Self.width / 100
            let bar =
                String(repeating: "#", count: full)
                + String(repeating: "-", count: Self.width - full)
            return "\(Self.clearLine)\(step) [\(bar)] \(percent) %"
        case .lines: return "\(step): \(percent) %\n"
        case .json:
            return JSONWriter.line { writer in
                writer.member("event", "progress")
                writer.member("step", step)
                writer.member("percent", percent)
                writer.member("done", done)
                writer.member("total", total)
            }
        }
    }

    private func write(_ text: String) {
        guard form == .json else { return StandardError.write(text) }
        // The work goes on, whether or not somebody reads.
        try? StandardOutput.write(text)
    }
}

/// What a command prints in the end.
extension Arguments {
    /// An answer of the server: as it came with --json, otherwise as the text of what it is.
    func print<Answer: JSONAnswer>(
        _ answer: [UInt8], _ text: (Answer) throws -> String
    ) throws -> ExitCode {
        if has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write(answer.last == UInt8(ascii: "\n") ? "" : "\n")
        } else {
            try StandardOutput.write(try text(try Answer(answer: answer)))
        }
        return .success
    }

    /// An object with these members with --json, otherwise `text`.
    func print(
        _ text: @autoclosure () -> String, _ members: (inout JSONWriter) -> Void
    ) throws -> ExitCode {
        try StandardOutput.write(has("json") ? JSONWriter.line(members) : text())
        return .success
    }

    /// What was done. For a program the exit code says it.
    func say(_ sentence: String) throws {
        if !has("json") { try StandardOutput.write(sentence + "\n") }
    }
}

extension JSONAnswer {
    init(answer: [UInt8]) throws {
        guard let read = Self(json: answer) else { throw CommandError.unreadable }
        self = read
    }
}

/// Renders rows as columns of equal width.
enum TextTable {
    static func text(_ rows: [[String]]) -> String {
        guard let first = rows.first else { return "" }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return trimmed(cells.joined(separator: "  ")) + "\n"
        }.joined()
    }

    private static func trimmed(_ line: String) -> Substring {
        line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]
    }
}

/// An address as a QR code, for the camera of a phone.
enum CodePicture {
    /// White on black, whatever the colors of the terminal. Empty for an address that is too long.
    static func text(of url: String) -> String {
        guard let code = QRCode(Array(url.utf8)) else { return "" }
        guard StandardOutput.isTerminal else { return code.text }
        return code.text.split(separator: "\n").map { "\u{1B}[97;40m\($0)\u{1B}[0m\n" }.joined()
    }
}

/// A time in the local time zone, to the minute.
enum LocalTime {
    static func text(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Telegram's sentences in the user's language, from `share/bellwire/lang/LANGUAGE.tsv`.
enum LanguageTable {
    /// Falls back to English.
    static func templates() -> TelegramTemplates {
        for language in languages {
            for folder in folders {
                // A table that cannot be read counts as missing.
                let path = "\(folder)/bellwire/lang/\(language).tsv"
                guard let bytes = try? TextFile.read(path) else { continue }
                return TelegramTemplates(
                    table: String(decoding: bytes, as: UTF8.self), orElse: .english)
            }
        }
        return .english
    }

    /// For `de_AT.UTF-8`: `de_AT`, then `de`.
    private static var languages: [String] {
        let locale = Locale.name
        let name = locale.prefix { $0 != "." && $0 != "@" }
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0 == "_" }) else { return [] }
        return [String(name), String(name.prefix { $0 != "_" })]
    }

    private static var folders: [String] {
        let home = Environment["XDG_DATA_HOME"] ?? Environment["HOME"].map { $0 + "/.local/share" }
        let others = Environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        return [home].compactMap { $0 } + others.split(separator: ":").map(String.init)
    }
}

/// The user's language, as the environment names it (locale(7)).
enum Locale {
    static var name: String {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        return names.lazy.compactMap { Environment[$0] }.first { !$0.isEmpty } ?? ""
    }

    static var language: Language { Language(locale: name) }
}
