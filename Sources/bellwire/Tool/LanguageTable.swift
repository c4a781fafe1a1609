import Base
import Dialects
import System

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
