import Base
import System
import Topics

/// What the configuration of an ntfy server says about its files.
struct NtfyConfiguration: Equatable {
    static let usual = "/etc/ntfy/server.yml"

    private(set) var cache: String?
    private(set) var users: String?
    private(set) var attachments: String?
    /// What everybody may do with a topic on which no other right was given.
    private(set) var usualRights: TopicRights = .usual

    /// Reads the lines at the left margin, as `name: value`: all that is asked for is there.
    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":"), line.first?.isLetter == true else {
                continue
            }
            let value = Self.value(line[line.index(after: colon)...])
            guard !value.isEmpty else { continue }
            switch line[..<colon] {
            case "cache-file": cache = value
            case "auth-file": users = value
            case "attachment-cache-dir": attachments = value
            case "auth-default-access": usualRights = Self.rights(value)
            default: break
            }
        }
    }

    /// Without quotes, or without a comment behind it.
    private static func value(_ text: Substring) -> String {
        let text = text.drop(while: \.isWhitespace)
        if let quote = text.first, quote == "\"" || quote == "'" {
            return String(text.dropFirst().prefix { $0 != quote })
        }
        var value = text.prefix { $0 != "#" }
        while value.last?.isWhitespace == true { value.removeLast() }
        return String(value)
    }

    private static func rights(_ word: String) -> TopicRights {
        switch word {
        case "read-write", "rw": [.read, .write]
        case "read-only", "read", "ro": .read
        case "write-only", "write", "wo": .write
        default: []
        }
    }
}
