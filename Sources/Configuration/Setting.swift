/// One value as it was written.
package struct Setting: Equatable, Sendable {
    package let value: String
    package let source: SettingSource

    package init(_ value: String, from source: SettingSource) {
        self.value = value
        self.source = source
    }
}

/// Where a value comes from, in order of precedence.
package enum SettingSource: Equatable, Sendable, CustomStringConvertible {
    case option(String)
    case environment(String)
    case file(String, line: Int)
    case fallback

    package var description: String {
        switch self {
        case .option(let key): "--\(key)"
        case .environment(let name): name
        case .file(let path, let line): "\(path):\(line)"
        case .fallback: "default"
        }
    }
}

struct SettingValues {
    private let settings: [String: [Setting]]

    init(_ settings: [String: [Setting]]) { self.settings = settings }

    func all(_ key: ConfigurationKey) -> [String]? { settings[key.name]?.map(\.value) }

    func first(_ key: ConfigurationKey) -> String? { settings[key.name]?.first?.value }

    func first<Value>(
        _ key: ConfigurationKey, _ read: (String) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
        guard let text = first(key) else { return nil }
        return try read(text)
    }

    func source(_ key: ConfigurationKey) -> SettingSource? { settings[key.name]?.first?.source }
}
