import Base

/// Reads one `key = value` per line. `#` starts a comment at the start of a line or after a space.
enum ConfigurationFile {
    static func settings(
        _ bytes: [UInt8], path: String
    ) throws(ConfigurationError) -> [String: [Setting]] {
        var settings: [String: [Setting]] = [:]
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let source = SettingSource.file(path, line: index + 1)
            guard let text = String(validating: line, as: UTF8.self) else {
                throw ConfigurationError("this line is not UTF-8", in: source)
            }
            guard let (name, value) = try pair(text, source) else { continue }
            let key = try key(name, source)
            if !key.isRepeatable, let before = settings[name]?.first {
                throw ConfigurationError(
                    "\(name) is set twice, first in \(before.source)", in: source)
            }
            settings[name, default: []].append(Setting(value, from: source))
        }
        return settings
    }

    /// Nil for an empty line or a comment.
    private static func pair(
        _ line: String, _ source: SettingSource
    ) throws(ConfigurationError) -> (name: String, value: String)? {
        let content = trimmed(withoutComment(line[...]))
        guard !content.isEmpty else { return nil }
        guard let equals = content.firstIndex(of: "=") else {
            throw ConfigurationError(
                "\(Printable.text(String(content), limit: 40)) is not a setting", in: source,
                hint: "write it as key = value")
        }
        let name = trimmed(content[..<equals])
        let value = trimmed(content[content.index(after: equals)...])
        return (String(name), String(value))
    }

    private static func key(
        _ name: String, _ source: SettingSource
    ) throws(ConfigurationError) -> ConfigurationKey {
        if let key = ConfigurationKey.named(name) { return key }
        let shown = Printable.text(name, limit: 40)
        throw ConfigurationError(
            "unknown key \(shown)", in: source, hint: ConfigurationKey.hint(for: name))
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        var isAtStart = true
        for index in line.indices {
            if line[index] == "#", isAtStart { return line[..<index] }
            isAtStart = line[index].isWhitespace
        }
        return line
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return text
    }
}
