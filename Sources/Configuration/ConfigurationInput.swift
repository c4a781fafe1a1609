import Base

/// Everything a configuration is made from.
package struct ConfigurationInput: Sendable {
    package struct File: Sendable {
        let path: String
        let bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The values of `--KEY` in the order given.
    package var options: [String: [String]]
    package var environment: [String: String]
    package var file: File?
    /// The listening sockets that systemd passed to this process.
    package var handedOver: [ListenAddress] = []
    /// What this machine calls itself; empty if that is not known.
    package var hostName = ""

    package init(
        options: [String: [String]] = [:], environment: [String: String] = [:], file: File? = nil
    ) {
        self.options = options
        self.environment = environment
        self.file = file
    }

    /// The values of each key from the first source that has any: an option, the environment, the
    /// file.
    func settings() throws(ConfigurationError) -> [String: [Setting]] {
        var settings: [String: [Setting]] = [:]
        if let file { settings = try ConfigurationFile.settings(file.bytes, path: file.path) }
        for key in ConfigurationKey.all {
            if let values = options[key.name] {
                settings[key.name] = try key.settings(values, .option(key.name))
            } else if let text = environment[key.environmentName] {
                settings[key.name] = try key.settings(
                    key.values(in: text), .environment(key.environmentName))
            }
        }
        for key in ConfigurationKey.all {
            for setting in settings[key.name] ?? [] { try key.check(setting) }
        }
        return settings
    }

    /// `/etc/bellwire/bellwire.conf` for a system service, else a file in the user's own folder;
    /// nil without a home.
    package static func defaultPath(
        _ environment: [String: String], isSystemService: Bool
    ) -> String? {
        if isSystemService { return "/etc/bellwire/bellwire.conf" }
        return folder("XDG_CONFIG_HOME", else: ".config", environment)
            .map { $0 + "/bellwire/bellwire.conf" }
    }

    /// A folder of the XDG base directory specification, which allows absolute paths only.
    static func folder(
        _ name: String, else fallback: String, _ environment: [String: String]
    ) -> String? {
        if let folder = environment[name], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/\(fallback)"
    }
}

extension ConfigurationKey {
    fileprivate func settings(
        _ values: [String], _ source: SettingSource
    ) throws(ConfigurationError) -> [Setting] {
        guard isRepeatable || values.count == 1 else {
            throw ConfigurationError("is given more than once", in: source)
        }
        return values.map { Setting($0, from: source) }
    }

    /// Several values in one variable are separated by spaces.
    fileprivate func values(in text: String) -> [String] {
        guard isRepeatable else { return [text] }
        var values: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if ListenAddress.continuesAddress(word), let last = values.popLast() {
                values.append("\(last) \(word)")
            } else {
                values.append(String(word))
            }
        }
        return values
    }

    fileprivate func check(_ setting: Setting) throws(ConfigurationError) {
        guard !setting.value.isEmpty else {
            throw ConfigurationError(
                "\(name) has no value", in: setting.source, hint: "write \(name) = \(placeholder)")
        }
        guard setting.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ConfigurationError("\(name) has a control character", in: setting.source)
        }
        if let problem = check(setting.value) {
            throw ConfigurationError(
                "\(name): \(shown(setting.value)) \(problem)", in: setting.source,
                hint: "write \(name) = \(placeholder)")
        }
    }
}

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

package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let source: SettingSource?
    package let message: String
    package let hint: String?

    package init(_ message: String, in source: SettingSource? = nil, hint: String? = nil) {
        self.source = source
        self.message = message
        self.hint = hint
    }

    package var description: String { source.map { "\($0): \(message)" } ?? message }
}
