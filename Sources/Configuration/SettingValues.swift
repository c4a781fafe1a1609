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
